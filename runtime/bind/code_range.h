// SPDX-License-Identifier: Apache-2.0
// Rules of quantisation parameters (kernels/simd/code_range.h) and of int8 products.
#ifndef WEFT_RUNTIME_BIND_CODE_RANGE_H_
#define WEFT_RUNTIME_BIND_CODE_RANGE_H_

#include <cstring>

#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/dense_q8.h"
#include "runtime/bind/step.h"
#include "runtime/bind/variants.h"

namespace weft::bind {

using footprint::kI8;

inline void RequireCodeRange(ParamChecker& check, const format::CodeRange& codes) {
  const auto begin = static_cast<uint32_t>(codes.low() + 128);
  const auto end = static_cast<uint32_t>(codes.high() + 128);
  const format::Results results = codes.results();
  check.Require(results == format::Results::codes || results == format::Results::integer_codes,
                FaultCode::kParamType, results);
  check.RequireAtLeast(FaultCode::kParamCodes, end, begin);
}
inline void RequireNoCodeRange(ParamChecker& check, const format::CodeRange& codes) {
  check.RequireZero(static_cast<uint8_t>(codes.zero()));
  check.RequireZero(static_cast<uint8_t>(codes.low()));
  check.RequireZero(static_cast<uint8_t>(codes.high()));
}

// Checks compare the bits of floats: positive floats have the order of their bits, and firmware
// without an FPU then contains no float comparison.
inline uint32_t BitsOf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}
inline bool IsZero(float number) { return BitsOf(number) << 1 == 0; }
// False for a NaN as well.
inline bool IsScaleBits(uint32_t bits) {
  const uint32_t min = BitsOf(kernels::kMinScale), max = BitsOf(kernels::kMaxScale);
  return bits - min <= max - min;
}
inline bool IsScale(float scale) { return IsScaleBits(BitsOf(scale)); }
inline bool IsMagnitudeScale(float scale) { return IsScaleBits(BitsOf(scale) & 0x7FFFFFFFu); }
inline void RequireScale(ParamChecker& check, float scale, bool holds) {
  check.Require(holds, FaultCode::kParamScale, BitsOf(scale), 0);
}

// Checks `max` of the products of dense_i8.h: a sum of `inputs` products must fit in 32 bits if
// rows are quantised to at most `max`; 0 if they are i16.
inline void RequireMax(ParamChecker& check, uint32_t max, uint32_t inputs) {
  const uint32_t largest = kernels::MaxFor(inputs);
  check.Require(max == 0 || (max >= kernels::kMinMax && max <= largest), FaultCode::kParamSums, max,
                largest);
}

inline kernels::ResultsQ8 ResultsOf(const format::CodeRange& codes) {
  return {CodesOf(codes), codes.results() == format::Results::f32};
}

// Checks a product "x weights scales [first] [start] -> y" with `terms` terms per sum. One function
// for all steps instead of a template of their parameters, to save code.
inline void RequireProduct(ParamChecker& check, const format::CodeRange& codes,
                           const format::Activation& activation, uint32_t terms) {
  check.RequireActivation(activation);
  if (codes.results() == format::Results::f32) {
    RequireNoCodeRange(check, codes);
  } else {
    RequireCodeRange(check, codes);
    const auto op = static_cast<uint32_t>(activation.op());
    check.Require(activation.op() == format::UnaryOp::identity, FaultCode::kParamOp, op, 1);
    check.Require(IsZero(activation.clip()), FaultCode::kParamOp, op, 0);
    if (codes.results() == format::Results::integer_codes) check.RequirePresent(4);
  }
  check.Require(AreVariantsLinked(codes), FaultCode::kTypeAbsent, kI8);
  check.RequireAtMost(FaultCode::kParamTerms, terms, kernels::kMaxProducts);
}

inline kernels::FactorsQ8 FactorsOf(std::byte* const* operands) {
  return {As<const float>(operands[2]), As<const int32_t>(operands[3]),
          As<const float>(operands[4])};
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_CODE_RANGE_H_
