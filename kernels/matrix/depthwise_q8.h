// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantised values, with the sums and results of dense_q8.h. Each sum
// covers the taps of a channel's window, with x_zero for taps outside the input. Fast if channels
// are contiguous in x and in y. y must not overlap an operand. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_H_
#define WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_H_

#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/depthwise.h"

namespace weft::kernels {

// The number of taps is at most kMaxProducts.
struct DepthwiseQ8Shape : DepthwiseShape {
  ResultsQ8 results;
  int8_t x_zero = 0;
};

// `weights` as PackDepthwiseI8 lays them out; `factors` have one element per channel of y.
void DepthwiseQ8(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                 const FactorsQ8& factors, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_H_
