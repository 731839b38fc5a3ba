// SPDX-License-Identifier: Apache-2.0
// L2 normalisation of int8 rows by integers, bit-identical to tflite-micro. With A = x - x_zero and
// s = the sum of A^2 of a row,
//
//   y = A / sqrt(s) in units of 1/128, limited to 127; 0 for 0
//
// The factor 1 / sqrt(s) is a multiplier (inverse_square_root.h). x and y are contiguous; y may be
// x.
#ifndef WEFT_KERNELS_REDUCE_NORMALIZE_Q8_H_
#define WEFT_KERNELS_REDUCE_NORMALIZE_Q8_H_

#include <cstdint>

namespace weft::kernels {

// Maximum length of a row, whose sum of squares of 255 fits in 31 bits.
inline constexpr uint32_t kMaxNormalizeLength = 33025;

struct NormalizeQ8Shape {
  uint32_t rows = 0, length = 0;
  int32_t x_zero = 0;  // a code
};

void NormalizeQ8(const NormalizeQ8Shape& shape, const int8_t* x, int8_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_NORMALIZE_Q8_H_
