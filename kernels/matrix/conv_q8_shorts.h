// SPDX-License-Identifier: Apache-2.0
// Convolution of int16 values with int8 weights: the window of each output pixel, tap after tap
// with its channels, is a row of dense_q8_shorts.h, with 0 for taps outside the input.
#ifndef WEFT_KERNELS_MATRIX_CONV_Q8_SHORTS_H_
#define WEFT_KERNELS_MATRIX_CONV_Q8_SHORTS_H_

#include "kernels/matrix/conv_q8.h"
#include "kernels/matrix/dense_q8_shorts.h"

namespace weft::kernels {

// `weights` as in conv_q8.h; `results` have one number per output channel of all groups. scratch
// has the bytes of ConvQ8ScratchBytes; if it is null, the convolution is direct. Uses the geometry
// of `shape`. y must not overlap an operand.
void ConvQ8Shorts(const ConvQ8Shape& shape, const int16_t* x, const int8_t* weights,
                  const ShortResults& results, int16_t* y, int16_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_CONV_Q8_SHORTS_H_
