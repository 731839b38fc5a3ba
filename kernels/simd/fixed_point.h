// SPDX-License-Identifier: Apache-2.0
// Functions of 32-bit fixed-point numbers, bit-identical to gemmlowp's, which tflite-micro and
// CMSIS-NN use. A number in Qn has n bits before the point, a sign and 31 - n bits after it.
#ifndef WEFT_KERNELS_SIMD_FIXED_POINT_H_
#define WEFT_KERNELS_SIMD_FIXED_POINT_H_

#include <cstdint>

#include "kernels/simd/requantise.h"

namespace weft::kernels {

inline constexpr int32_t kMaxFixed = 0x7FFFFFFF;

// x * 2^shift, limited to the range of 32 bits; shift is at most 31.
constexpr int32_t ShiftSaturated(int32_t x, int32_t shift) {
  const int64_t wide = int64_t{x} * (int64_t{1} << shift);
  return wide > kMaxFixed        ? kMaxFixed
         : wide < -kMaxFixed - 1 ? -kMaxFixed - 1
                                 : static_cast<int32_t>(wide);
}

inline constexpr int32_t kExpOfEighth = 1895147668, kThird = 715827883;
// exp(-2^i) for i from -2 on.
inline constexpr int32_t kExponentials[] = {1672461947, 1302514674, 790015084, 290630308,
                                            39332535,   720401,     242};

// exp(a) in Q0, for an a in Q(integer_bits) that is at most 0; integer_bits is 4 or 5.
constexpr int32_t ExpOfNegative(int32_t a, int32_t integer_bits) {
  if (a == 0) return kMaxFixed;
  const int32_t quarter_bit = 29 - integer_bits, quarter = 1 << quarter_bit;
  const int32_t part = (a & (quarter - 1)) - quarter;                // in [-1/4, 0)
  const int32_t x = ShiftSaturated(part, integer_bits) + (1 << 28);  // distance from -1/8
  const int32_t x2 = HighProduct(x, x), x3 = HighProduct(x2, x), x4 = HighProduct(x2, x2);
  const int32_t higher = DivideByPower(HighProduct(DivideByPower(x4, 2) + x3, kThird) + x2, 1);
  int32_t y = kExpOfEighth + HighProduct(kExpOfEighth, x + higher);
  const int32_t quarters = WrappingSubtract(part, a);
  for (int32_t i = 0; i < integer_bits + 2; ++i) {
    if ((quarters >> (quarter_bit + i) & 1) != 0) y = HighProduct(y, kExponentials[i]);
  }
  return y;
}

// 2 / (1 + a) in Q2 by three steps of Newton, for an a in Q0 that is not negative.
constexpr int32_t TwiceReciprocalOfOnePlus(int32_t a) {
  constexpr int32_t kOne = 1 << 29, kFirst = 1515870810, kSlope = -1010580540;  // 48/17, -32/17
  const auto half = static_cast<int32_t>((int64_t{a} + (int64_t{1} << 31)) >> 1);
  int32_t x = kFirst + HighProduct(half, kSlope);
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t error = kOne - HighProduct(half, x);
    x = WrappingAdd(x, ShiftSaturated(HighProduct(x, error), 2));
  }
  return x;
}

// 1 / (1 + exp(-a)) in Q0, for an a in Q4.
constexpr int32_t FixedLogistic(int32_t a) {
  if (a == 0) return 1 << 30;
  const int32_t exponential = ExpOfNegative(a > 0 ? -a : a, 4);
  const int32_t y = ShiftSaturated(TwiceReciprocalOfOnePlus(exponential), 1);
  return a > 0 ? y : kMaxFixed - y;
}

// tanh(a) in Q0, for an a in Q4.
constexpr int32_t FixedTanh(int32_t a) {
  if (a == 0) return 0;
  // In Q5 the same bits are twice the number.
  const int32_t exponential = ExpOfNegative(a > 0 ? -a : a, 5);
  const int32_t y = ShiftSaturated(TwiceReciprocalOfOnePlus(exponential) - (1 << 29), 2);
  return a < 0 ? -y : y;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_FIXED_POINT_H_
