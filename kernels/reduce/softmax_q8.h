// SPDX-License-Identifier: Apache-2.0
// Softmax of int8 rows by integers, bit-identical to tflite-micro. With d = x - the maximum of the
// row, in Q5 (fixed_point.h) e = exp(Rescaled(d, multiplier)) and s = the sum of e with 12 bits
// before the point,
//
//   y = e / s in units of 1/256, -128 for 0, or of int16: in units of 1/65536, -32768 for 0
//
// Codes with Rescaled(d) < -31 count as 0. x and y are contiguous; y of int8 may be x.
#ifndef WEFT_KERNELS_REDUCE_SOFTMAX_Q8_H_
#define WEFT_KERNELS_REDUCE_SOFTMAX_Q8_H_

#include <cstdint>

#include "kernels/simd/requantise.h"

namespace weft::kernels {

// Maximum length of a row, whose sum fits in 32 bits.
inline constexpr uint32_t kMaxSoftmaxLength = 4095;

// The exponent of the multiplier is not negative.
struct SoftmaxQ8Shape {
  uint32_t rows = 0, length = 0;
  Multiplier multiplier;  // the scale of x * 2^26
  bool gives_shorts = false;
};

void SoftmaxQ8(const SoftmaxQ8Shape& shape, const int8_t* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_SOFTMAX_Q8_H_
