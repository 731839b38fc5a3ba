// SPDX-License-Identifier: Apache-2.0
// A whole step of a GRU with sigmoid and tanh whose reset comes after the recurrent product: what
// dense (twice) and gru_gates make, with their bits, in one pass over the weights; sums do not
// leave the registers. Gates stand in order z r h: each has a chain of fused multiply-adds over
// ascending x from start on and one over h from r_start on. Nothing may overlap, h_next and h above
// all: h is read to the end. x may be null, of which start then holds the products. The caller owns
// all memory.
#ifndef WEFT_KERNELS_RECURRENT_GRU_CELL_H_
#define WEFT_KERNELS_RECURRENT_GRU_CELL_H_

#include "kernels/recurrent/cell.h"

namespace weft::kernels {

inline constexpr uint32_t kGruGates = 3;

// start and r_start are [3 * hidden]; CellWeights(3, ...) weights.
void GruCell(const CellShape& shape, const float* x, const float* weights, const float* h,
             const float* start, const float* r_start, float* h_next);

// The same of weights of another type, where the program has it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                       \
  void GruCell(const CellShape& shape, const float* x, const Name* weights, const float* h, \
               const float* start, const float* r_start, float* h_next);
#include "kernels/matrix/weights.inc"
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_GRU_CELL_H_
