// SPDX-License-Identifier: Apache-2.0
// A whole step of an LSTM with sigmoid and tanh: what dense (twice) and lstm_gates make, with their
// bits, in one pass over the weights; sums do not leave the registers. Gates stand in order f i c
// o: each is one chain of fused multiply-adds from start on, over ascending x, then h. c_next may
// be c; nothing else may overlap, h_next and h above all: h is read to the end. x may be null, of
// which start then holds the products. The caller owns all memory.
#ifndef WEFT_KERNELS_RECURRENT_LSTM_CELL_H_
#define WEFT_KERNELS_RECURRENT_LSTM_CELL_H_

#include "kernels/recurrent/cell.h"

namespace weft::kernels {

inline constexpr uint32_t kLstmGates = 4;

// start is [4 * hidden]; CellWeights(4, ...) weights.
void LstmCell(const CellShape& shape, const float* x, const float* weights, const float* h,
              const float* c, const float* start, float* h_next, float* c_next);

// The same of weights of another type, where the program has it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                        \
  void LstmCell(const CellShape& shape, const float* x, const Name* weights, const float* h, \
                const float* c, const float* start, float* h_next, float* c_next);
#include "kernels/matrix/weights.inc"
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_LSTM_CELL_H_
