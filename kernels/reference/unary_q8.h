// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for functions of one quantised value.
#ifndef WEFT_KERNELS_REFERENCE_UNARY_Q8_H_
#define WEFT_KERNELS_REFERENCE_UNARY_Q8_H_

#include <cmath>

#include "kernels/elementwise/unary_q8.h"
#include "kernels/reference/quantize.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline int32_t RescaleReference(const UnaryQ8Shape& s, int32_t x) {
  const int32_t above = WrappingSubtract(x, s.x_zero);
  const int32_t v = RescaledReference(above, above < 0 ? s.below : s.above);
  if (s.to == Element::kI32) return WrappingAdd(v, s.zero);
  const int64_t code = int64_t{v} + s.zero;
  return static_cast<int32_t>(code < s.low ? s.low : code > s.high ? s.high : code);
}

// x is a sum of products of int16 codes.
inline int16_t RescaledSumReference(const UnaryQ8Shape& s, int64_t x) {
  const int64_t code = RescaledOnce(x, s.above);
  return static_cast<int16_t>(code < s.low ? s.low : code > s.high ? s.high : code);
}

// A sigmoid or tanh in double precision; the codes of the step are at most kGateError away.
inline constexpr double kGateError = 6;
inline double GateReference(const UnaryQ8Shape& s, int16_t x) {
  const double t = std::ldexp(static_cast<double>(s.above.mantissa) * x, s.above.exponent) / 12288;
  const double y = s.op == CodeFunction::kTanh ? std::tanh(t) : 1 / (1 + std::exp(-t));
  return std::fmin(y * 32768, 32767);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_UNARY_Q8_H_
