// SPDX-License-Identifier: Apache-2.0
// Quotients of int8 codes by integers, bit-identical to TensorFlow Lite for Microcontrollers where
// its shift is defined. A reciprocal of the divisor is computed in fixed point.
#ifndef WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_QUOTIENTS_H_
#define WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_QUOTIENTS_H_

#include <cstdint>

#include "kernels/elementwise/binary_q8.h"
#include "kernels/simd/fixed_point.h"

namespace weft::kernels {

// 1 / (top / 128) in Q0, for an integer `top` from 128 to 255.
constexpr int32_t ReciprocalOfTop(int32_t top) {
  return ShiftSaturated(TwiceReciprocalOfOnePlus((top - 128) << 24), 1);
}

// a / b times the factor, rounded, for differences of codes. A quotient by 0 is the limit of 32
// bits with the sign of a; 0 / 0 is the negative limit. `reciprocal` is ReciprocalOfTop or a
// table of it.
template <typename Reciprocal>
constexpr int32_t RoundedQuotient(int32_t a, int32_t b, const Multiplier& by,
                                  const Reciprocal& reciprocal) {
  if (b == 0) return a > 0 ? kMaxFixed : -kMaxFixed - 1;
  if (b < 0) a = -a, b = -b;
  const int32_t zeros = __builtin_clz(static_cast<uint32_t>(b));
  const auto top = static_cast<int32_t>(static_cast<uint32_t>(b) << zeros >> 24);
  // The number of copies of the sign bit after the sign bit.
  const int32_t left = __builtin_clz(static_cast<uint32_t>(a < 0 ? ~a : a) * 2 + 1);
  const auto fine = static_cast<int32_t>(static_cast<uint32_t>(a) << left);
  const int32_t v = HighProduct(HighProduct(fine, reciprocal(top)), by.mantissa);
  const int32_t right = 31 - zeros + left - by.exponent;
  if (right > 31) return 0;  // v / 2^right is below 1/2
  return right > 0 ? DivideProduct(v, right) : v;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_QUOTIENTS_H_
