// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for binary on quantised values: one pair.
#ifndef WEFT_KERNELS_REFERENCE_BINARY_Q8_H_
#define WEFT_KERNELS_REFERENCE_BINARY_Q8_H_

#include <algorithm>

#include "kernels/elementwise/binary_q8_shorts.h"
#include "kernels/reference/quantize.h"
#include "kernels/simd/fixed_point.h"

namespace weft::kernels {

// Divides by powers of two instead of shifting. `b` may be 0.
inline int32_t QuotientReference(int32_t a, int32_t b, const Multiplier& by) {
  if (b == 0) return a > 0 ? INT32_MAX : INT32_MIN;
  if (b < 0) return QuotientReference(-a, -b, by);
  int right = static_cast<int>(-by.exponent);
  int64_t fraction = b, fine = a;
  while (fraction < 128) fraction *= 2, --right;
  right += 7;
  for (; fine >= -(int64_t{1} << 30) && fine < (int64_t{1} << 30) && fine != 0; ++right) fine *= 2;
  const int32_t reciprocal = static_cast<int32_t>(std::min<int64_t>(
      2 * int64_t{TwiceReciprocalOfOnePlus(static_cast<int32_t>((fraction - 128) << 24))},
      INT32_MAX));
  const auto quotient = RescaledReference(static_cast<int32_t>(fine), {reciprocal, 0});
  const int32_t scaled = RescaledReference(quotient, {by.mantissa, 0});
  const double exact = std::ldexp(static_cast<double>(scaled), -std::max(right, 0));
  return static_cast<int32_t>(std::round(exact));
}

// v of a pair of differences to the zero points. `sum_bits` and `square_bits` are the bits of
// fraction of the operands of a sum, and of a squared difference.
inline int32_t IntegerPairReference(const BinaryQ8Shape& s, int32_t a, int32_t b, int sum_bits,
                                    int square_bits) {
  const auto fine = [](int32_t above, int fraction, const Multiplier& by) {
    return int64_t{RescaledReference(above * (1 << fraction), by)};
  };
  const auto rescaled = [&](int64_t v, const Multiplier& by) {
    return RescaledReference(static_cast<int32_t>(v), by);
  };
  const int64_t fine_a = fine(a, sum_bits, s.a_multiplier);
  const int64_t fine_b = fine(b, sum_bits, s.b_multiplier);
  switch (s.op) {
    case BinaryOp::kDivide:
      return QuotientReference(a, b, s.multiplier);
    case BinaryOp::kMultiply:
      return rescaled(int64_t{a} * b, s.multiplier);
    case BinaryOp::kPrelu:
      return a >= 0 ? rescaled(a, s.a_multiplier) : rescaled(int64_t{a} * b, s.multiplier);
    case BinaryOp::kSquaredDifference: {
      const int64_t difference =
          fine(a, square_bits, s.a_multiplier) - fine(b, square_bits, s.b_multiplier);
      return rescaled(difference * difference, s.multiplier);
    }
    default:
      return rescaled(s.op == BinaryOp::kAdd ? fine_a + fine_b : fine_a - fine_b, s.multiplier);
  }
}

inline int8_t BinaryQ8Reference(const BinaryQ8Shape& s, int8_t a, int8_t b) {
  const int32_t above_a = a - s.a_zero, above_b = b - s.b_zero;
  if (s.codes.by_integers) {
    return CodeOfIntegerReference(
        s.codes, IntegerPairReference(s, above_a, above_b, kSumFraction, kSquareFraction));
  }
  if (s.op == BinaryOp::kMultiply)
    return CodeReference(s.codes, static_cast<float>(above_a * above_b) * s.a_scale);
  const float of_a = static_cast<float>(above_a) * s.a_scale;
  const float of_b = static_cast<float>(above_b) * s.b_scale;
  return CodeReference(s.codes, of_a + of_b);
}

inline int16_t BinaryQ8ShortsReference(const BinaryQ8Shape& s, int16_t a, int16_t b) {
  const int32_t v = IntegerPairReference(s, a, b, kShortSumFraction, kShortSquareFraction);
  return static_cast<int16_t>(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_BINARY_Q8_H_
