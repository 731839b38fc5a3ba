// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(value) by five Newton steps in integers, bit-identical to TensorFlow Lite.
#ifndef WEFT_KERNELS_SIMD_INVERSE_SQUARE_ROOT_H_
#define WEFT_KERNELS_SIMD_INVERSE_SQUARE_ROOT_H_

#include <cstdint>

#include "kernels/integer.h"
#include "kernels/simd/requantise.h"

namespace weft::kernels {

// x * 2^bits; the extremes beyond +-(2^(31 - bits) - 1).
constexpr int32_t DoubledSaturating(int32_t x, int32_t bits) {
  const auto limit = static_cast<int32_t>((uint32_t{1} << (31 - bits)) - 1);
  if (x > limit) return INT32_MAX;
  if (x < -limit) return INT32_MIN;
  return static_cast<int32_t>(static_cast<uint32_t>(x) << bits);
}

constexpr Multiplier InverseSquareRoot(int32_t value) {
  if (value <= 1) return {INT32_MAX, 0};
  int32_t shift = 11;
  for (; value >= 1 << 29; ++shift) value /= 4;
  // An even number of leading zeros is removed, except two of them.
  const int32_t leading = __builtin_clz(static_cast<uint32_t>(value)) - 1;
  const int32_t pairs = leading / 2 > 1 ? leading / 2 - 1 : 0;
  shift -= pairs;
  value <<= 2 * pairs;
  const int32_t half = DivideByPower(value >> 1, 1);
  constexpr int32_t kOneAndHalf = 3 << 27;
  int32_t x = 1 << 28;
  for (int i = 0; i < 5; ++i) {  // x' = 1.5 x - half x^3
    const int32_t x2 = HighProduct(x, x);
    const int32_t x3 = DoubledSaturating(HighProduct(x2, x), 6);
    x = DoubledSaturating(WrappingSubtract(HighProduct(kOneAndHalf, x), HighProduct(half, x3)), 3);
  }
  x = HighProduct(x, 1518500250);  // 1 / sqrt(2)
  if (shift < 0) return {static_cast<int32_t>(static_cast<uint32_t>(x) << -shift), 0};
  return {x, -shift};
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_INVERSE_SQUARE_ROOT_H_
