// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for binary on quantised values: one pair.
#ifndef WEFT_KERNELS_REFERENCE_BINARY_Q8_H_
#define WEFT_KERNELS_REFERENCE_BINARY_Q8_H_

#include "kernels/elementwise/binary_q8.h"
#include "kernels/reference/quantize.h"

namespace weft::kernels {

inline int8_t IntegerPairReference(const BinaryQ8Shape& s, int32_t a, int32_t b) {
  const auto fine = [](int32_t above, int fraction, const Multiplier& by) {
    return int64_t{RescaledReference(above * (1 << fraction), by)};
  };
  const auto code = [&](int64_t v, const Multiplier& by) {
    return CodeOfIntegerReference(s.codes, RescaledReference(static_cast<int32_t>(v), by));
  };
  const int64_t fine_a = fine(a, kSumFraction, s.a_multiplier);
  const int64_t fine_b = fine(b, kSumFraction, s.b_multiplier);
  switch (s.op) {
    case BinaryOp::kMultiply:
      return code(int64_t{a} * b, s.multiplier);
    case BinaryOp::kPrelu:
      return a >= 0 ? code(a, s.a_multiplier) : code(int64_t{a} * b, s.multiplier);
    case BinaryOp::kSquaredDifference: {
      const int64_t difference =
          fine(a, kSquareFraction, s.a_multiplier) - fine(b, kSquareFraction, s.b_multiplier);
      return code(difference * difference, s.multiplier);
    }
    default:
      return code(s.op == BinaryOp::kAdd ? fine_a + fine_b : fine_a - fine_b, s.multiplier);
  }
}

inline int8_t BinaryQ8Reference(const BinaryQ8Shape& s, int8_t a, int8_t b) {
  const int32_t above_a = a - s.a_zero, above_b = b - s.b_zero;
  if (s.codes.by_integers) return IntegerPairReference(s, above_a, above_b);
  if (s.op == BinaryOp::kMultiply)
    return CodeReference(s.codes, static_cast<float>(above_a * above_b) * s.a_scale);
  const float of_a = static_cast<float>(above_a) * s.a_scale;
  const float of_b = static_cast<float>(above_b) * s.b_scale;
  return CodeReference(s.codes, of_a + of_b);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_BINARY_Q8_H_
