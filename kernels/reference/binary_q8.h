// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for binary on quantised values: one pair.
#ifndef WEFT_KERNELS_REFERENCE_BINARY_Q8_H_
#define WEFT_KERNELS_REFERENCE_BINARY_Q8_H_

#include "kernels/elementwise/binary_q8_shorts.h"
#include "kernels/reference/quantize.h"

namespace weft::kernels {

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
