// SPDX-License-Identifier: Apache-2.0
// Rules of integer multipliers (kernels/simd/requantise.h).
#ifndef WEFT_RUNTIME_BIND_MULTIPLIER_H_
#define WEFT_RUNTIME_BIND_MULTIPLIER_H_

#include "kernels/simd/requantise.h"
#include "runtime/bind/step.h"

namespace weft::bind {

inline constexpr int32_t kMinExponent = -31, kMaxExponent = 30;

// Requires min <= is <= max.
inline void RequireFactor(ParamChecker& check, int32_t is, int32_t min, int32_t max) {
  const auto above = static_cast<uint32_t>(is) - static_cast<uint32_t>(min);
  const auto range = static_cast<uint32_t>(max) - static_cast<uint32_t>(min);
  check.Require(above <= range, FaultCode::kParamFactor, above, range);
}

inline void RequireMultiplier(ParamChecker& check, const format::Multiplier& by,
                              int32_t max_exponent = kMaxExponent) {
  RequireFactor(check, by.mantissa(), 0, INT32_MAX);
  RequireFactor(check, by.exponent(), kMinExponent, max_exponent);
}

inline kernels::Multiplier MultiplierOf(const format::Multiplier& from) {
  return {from.mantissa(), from.exponent()};
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_MULTIPLIER_H_
