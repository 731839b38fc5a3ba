// SPDX-License-Identifier: Apache-2.0
// The elementwise part of an LSTM cell; pre has the sums before activation, in order f i c o:
//   c' = f(pre_f) * c + f(pre_i) * g(pre_c)      h' = f(pre_o) * h(c')
// computed as c' = fma(F, c, I * G). If f is sigmoid and g and h are tanh, each product of the two
// uses one division by the product of both divisors. c_next may be c. h_next must not overlap pre
// or c; nothing else may overlap. The caller owns all memory. Uses 1 KB of stack.
#ifndef WEFT_KERNELS_RECURRENT_LSTM_GATES_H_
#define WEFT_KERNELS_RECURRENT_LSTM_GATES_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"

namespace weft::kernels {

// pre is [rows, 4 * hidden] with pre_row_stride elements from row to row; the others are contiguous
// [rows, hidden].
struct LstmGatesShape {
  uint32_t rows = 0;
  uint32_t hidden = 0;
  uint32_t pre_row_stride = 0;
  Activation f;
  Activation g;
  Activation h;
};

// Returns true for the cell of nearly every model, which calls no activation of another file.
inline bool IsSigmoidTanh(const Activation& f, const Activation& g, const Activation& h) {
  return IsJust(f, UnaryOp::kSigmoid) && IsJust(g, UnaryOp::kTanh) && IsJust(h, UnaryOp::kTanh);
}

void LstmGates(const LstmGatesShape& shape, const float* pre, const float* c, float* h_next,
               float* c_next);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_LSTM_GATES_H_
