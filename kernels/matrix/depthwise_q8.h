// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of levels, with the sums and results of dense_q8.h: of each channel, over
// the taps of its window, in which x_zero stands for what lies outside the input. Fast where
// channels lie beside each other in x and in y. y must not overlap an operand. The caller owns all
// memory.
#ifndef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_H_
#define WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_H_

#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/depthwise.h"

namespace weft::kernels {

// At most kMostProducts taps.
struct DepthwiseQ8Shape : DepthwiseShape {
  ResultsQ8 results;
  int8_t x_zero = 0;
};

// `weights` as PackDepthwiseI8 lays them out; `factors` have a number for each channel of y.
void DepthwiseQ8(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                 const FactorsQ8& factors, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_H_
