// SPDX-License-Identifier: Apache-2.0
// One step of a GRU with sigmoid and tanh whose reset comes after the recurrent product.
// Bit-identical to dense (twice) and gru_gates, in one pass over the weights; sums stay in
// registers. Gates are in order z r h. Each gate has two accumulations of fused multiply-adds: over
// ascending x, beginning at start, and over h, beginning at r_start. No operands may overlap; in
// particular h_next must not overlap h, which is read until the end. x may be null; then start
// already contains the products of x. The caller owns all memory.
#ifndef WEFT_KERNELS_RECURRENT_GRU_CELL_H_
#define WEFT_KERNELS_RECURRENT_GRU_CELL_H_

#include "kernels/recurrent/cell.h"

namespace weft::kernels {

inline constexpr uint32_t kGruGates = 3;

// start and r_start are [3 * hidden]; CellWeights(3, ...) weights.
void GruCell(const CellShape& shape, const float* x, const float* weights, const float* h,
             const float* start, const float* r_start, float* h_next);

// The same for weights of another type, if the program has it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                       \
  void GruCell(const CellShape& shape, const float* x, const Name* weights, const float* h, \
               const float* start, const float* r_start, float* h_next);
#define WEFT_SCALED_WEIGHTS(name, Name, ...) WEFT_WEIGHTS(name, Name)
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_GRU_CELL_H_
