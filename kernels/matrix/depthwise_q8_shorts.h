// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of int16 values with int8 weights, with the sums and results of
// dense_q8_shorts.h; taps outside the input are skipped.
#ifndef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_SHORTS_H_
#define WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_SHORTS_H_

#include "kernels/matrix/dense_q8_shorts.h"
#include "kernels/matrix/depthwise_q8.h"

namespace weft::kernels {

// `weights` as in depthwise_q8.h; `results` have one number per channel of y. Uses the geometry of
// `shape`. y must not overlap an operand.
void DepthwiseQ8Shorts(const DepthwiseQ8Shape& shape, const int16_t* x, const int8_t* weights,
                       const ShortResults& results, int16_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_SHORTS_H_
