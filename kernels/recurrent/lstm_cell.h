// SPDX-License-Identifier: Apache-2.0
// One step of an LSTM with sigmoid and tanh. Bit-identical to dense (twice) and lstm_gates, in one
// pass over the weights; sums stay in registers. Gates are in order f i c o. Each gate is one
// accumulation of fused multiply-adds that begins at start, over ascending x, then over h. c_next
// may be c; nothing else may overlap. In particular h_next must not overlap h, which is read until
// the end. x may be null; then start already contains the products of x. The caller owns all
// memory.
#ifndef WEFT_KERNELS_RECURRENT_LSTM_CELL_H_
#define WEFT_KERNELS_RECURRENT_LSTM_CELL_H_

#include "kernels/recurrent/cell.h"

namespace weft::kernels {

inline constexpr uint32_t kLstmGates = 4;

// start is [4 * hidden]; CellWeights(4, ...) weights.
void LstmCell(const CellShape& shape, const float* x, const float* weights, const float* h,
              const float* c, const float* start, float* h_next, float* c_next);

// The same for weights of another type, if the program has it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                        \
  void LstmCell(const CellShape& shape, const float* x, const Name* weights, const float* h, \
                const float* c, const float* start, float* h_next, float* c_next);
#define WEFT_SCALED_WEIGHTS(name, Name, ...) WEFT_WEIGHTS(name, Name)
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_LSTM_CELL_H_
