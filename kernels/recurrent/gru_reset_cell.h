// SPDX-License-Identifier: Apache-2.0
// One step of a GRU whose reset comes before the recurrent product, with sigmoid and tanh; sums do
// not leave the registers. Gates stand in order z r h: each has a chain of fused multiply-adds from
// start on, over ascending x, then over h, that of the candidate over reset_h = r * h:
//   h' = n + z (h - n)
// All of reset_h is made before the first candidate. Nothing may overlap, h_next and h above all: h
// is read to the end. x may be null, of which start then holds the products. The caller owns all
// memory.
#ifndef WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_H_
#define WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_H_

#include "kernels/recurrent/cell.h"

namespace weft::kernels {

// start is [3 * hidden]; GruResetWeights(...) weights; reset_h has room for [hidden].
void GruResetCell(const CellShape& shape, const float* x, const float* weights, const float* h,
                  const float* start, float* h_next, float* reset_h);

// The same of weights of another type, where the program has it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                            \
  void GruResetCell(const CellShape& shape, const float* x, const Name* weights, const float* h, \
                    const float* start, float* h_next, float* reset_h);
#include "kernels/matrix/weights.inc"
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_H_
