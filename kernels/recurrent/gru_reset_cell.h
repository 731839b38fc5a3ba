// SPDX-License-Identifier: Apache-2.0
// One step of a GRU with sigmoid and tanh whose reset comes before the recurrent product; sums stay
// in registers. Gates are in order z r h. Each gate is one accumulation of fused multiply-adds that
// begins at start, over ascending x, then over h; the candidate's is over reset_h = r * h instead
// of h:
//   h' = n + z (h - n)
// All of reset_h is computed before the first candidate. No operands may overlap; in particular
// h_next must not overlap h, which is read until the end. x may be null; then start already
// contains the products of x. The caller owns all memory.
#ifndef WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_H_
#define WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_H_

#include "kernels/recurrent/cell.h"

namespace weft::kernels {

// start is [3 * hidden]; weights has GruResetWeights(...) weights; reset_h has space for [hidden].
void GruResetCell(const CellShape& shape, const float* x, const float* weights, const float* h,
                  const float* start, float* h_next, float* reset_h);

// The same for weights of another type, if the program has it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                            \
  void GruResetCell(const CellShape& shape, const float* x, const Name* weights, const float* h, \
                    const float* start, float* h_next, float* reset_h);
#define WEFT_SCALED_WEIGHTS(name, Name, ...) WEFT_WEIGHTS(name, Name)
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_H_
