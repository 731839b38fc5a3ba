// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for quantize, and the quantisation of one value for all quantised steps.
#ifndef WEFT_KERNELS_REFERENCE_QUANTIZE_H_
#define WEFT_KERNELS_REFERENCE_QUANTIZE_H_

#include "kernels/elementwise/quantize.h"
#include "kernels/reference/reference.h"
#include "kernels/simd/requantise.h"

namespace weft::kernels {

inline int8_t CodeReference(const CodeRange& codes, float v) {
  if (std::isnan(v)) return codes.low;
  const double rounded = std::nearbyint(static_cast<double>(v)) + codes.zero;
  if (rounded < codes.low) return codes.low;
  return rounded > codes.high ? codes.high : static_cast<int8_t>(rounded);
}

// Requantisation by integers (requantise.h), defined by rounded quotients instead of shifts.
// floor(a / b) for a positive b.
inline int64_t FloorQuotientReference(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

inline int32_t RescaledReference(int32_t x, const Multiplier& by) {
  int64_t wide = x;
  for (int32_t i = 0; i < by.exponent; ++i) wide = static_cast<int32_t>(wide * 2);  // wraps around
  int64_t y = FloorQuotientReference(wide * by.mantissa + (int64_t{1} << 30), int64_t{1} << 31);
  if (by.exponent >= 0) return static_cast<int32_t>(y);
  const int64_t divisor = int64_t{1} << -by.exponent;
  const int64_t magnitude = (2 * (y < 0 ? -y : y) + divisor) / (2 * divisor);
  return static_cast<int32_t>(y < 0 ? -magnitude : magnitude);
}

inline int8_t CodeOfIntegerReference(const CodeRange& codes, int32_t v) {
  const int64_t code = int64_t{v} + codes.zero;
  return static_cast<int8_t>(code < codes.low ? codes.low : code > codes.high ? codes.high : code);
}

inline int8_t QuantizeReference(const QuantizeShape& s, float x) {
  const float scaled = x * s.inverse;
  return CodeReference(s.codes, scaled);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_QUANTIZE_H_
