// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/unary_q8.h"

#include "runtime/bind/multiplier.h"

namespace weft::bind::unary_q8 {
namespace {

using footprint::kI16, footprint::kI32, footprint::kI8;

// The factor of the argument of a sigmoid or tanh.
constexpr int32_t kMaxFactor = 0x7FFF;

// Requires a range and a zero point of the type. Results of i32 have no range: their sums wrap
// around.
void RequireLimits(ParamChecker& check, const format::UnaryQ8Params& params) {
  const bool is_limited = params.to() != kI32;
  const int32_t max = params.to() == kI8 ? 0x7F : is_limited ? 0x7FFF : 0;
  const int32_t min = is_limited ? -max - 1 : 0;
  RequireFactor(check, params.low(), min, max);
  RequireFactor(check, params.high(), params.low(), max);
  if (is_limited) RequireFactor(check, params.zero(), min, max);
}

// Rules for sums of products of int16 codes.
void RequireSums(ParamChecker& check, const format::UnaryQ8Params& params) {
  check.Require(params.to() == kI16, FaultCode::kParamType, params.to());
  RequireMultiplier(check, params.above());
  RequireFactor(check, params.above().exponent(), kMinExponent, kernels::kMaxShortExponent);
  for (const int32_t unused :
       {params.below().mantissa(), params.below().exponent(), params.x_zero(), params.zero()}) {
    check.RequireZero(static_cast<uint32_t>(unused));
  }
  RequireLimits(check, params);
}

bool IsCodeType(format::ElementType type) { return type == kI8 || type == kI16 || type == kI32; }

}  // namespace

static void Rules(const format::UnaryQ8Params& params, ParamChecker& check) {
  check.RequireBelow(FaultCode::kParamOp, params.op(), kernels::kCodeFunctionCount);
  const bool is_rescaled = params.op() == format::CodeFunction::rescale;
  if (is_rescaled && params.from() == format::ElementType::i64) return RequireSums(check, params);
  check.Require(is_rescaled ? IsCodeType(params.from()) : params.from() == kI16,
                FaultCode::kParamType, params.from());
  check.Require(is_rescaled ? IsCodeType(params.to()) : params.to() == kI16, FaultCode::kParamType,
                params.to());
  if (is_rescaled) {
    RequireMultiplier(check, params.above());
    RequireFactor(check, params.below().mantissa(), -INT32_MAX, INT32_MAX);
    RequireFactor(check, params.below().exponent(), kMinExponent, kMaxExponent);
    return RequireLimits(check, params);
  }
  RequireFactor(check, params.above().mantissa(), 0, kMaxFactor);
  RequireFactor(check, params.above().exponent(), kMinExponent, 0);
  for (const int32_t unused : {params.below().mantissa(), params.below().exponent(),
                               params.x_zero(), params.zero(), params.low(), params.high()}) {
    check.RequireZero(static_cast<uint32_t>(unused));
  }
}

void Run(const format::UnaryQ8Params& params, std::byte* const* operands) {
  kernels::UnaryQ8Shape shape;
  WEFT_FIELDS((count)(x_zero)(zero)(low)(high)(above)(below)(op)(from)(to))
  kernels::UnaryQ8(shape, operands[0], operands[1]);
}

}  // namespace weft::bind::unary_q8

WEFT_BIND_STEP(unary_q8, UnaryQ8)
