// SPDX-License-Identifier: Apache-2.0
// The entries <step>_shorts and <step>_mixed of steps with int16 values (narrow_steps.inc). A
// program without such steps links none of this.
#ifndef WEFT_RUNTIME_BIND_SHORTS_H_
#define WEFT_RUNTIME_BIND_SHORTS_H_

#include "kernels/matrix/dense_q8_shorts.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/multiplier.h"
#include "runtime/bind/step.h"

namespace weft::bind {

// Passes the footprint of a step with int16 values to a checker.
class ShortsVisitor {
 public:
  static constexpr bool kHasShorts = true;
  explicit ShortsVisitor(ParamChecker& check) : check_(check) {}
  template <typename Elements>
  WEFT_INLINE void Reads(uint32_t operand, Unit unit, const Elements& elements) {
    check_.Reads(operand, unit, elements);
  }
  template <typename Elements>
  WEFT_INLINE void Writes(uint32_t operand, Unit unit, const Elements& elements) {
    check_.Writes(operand, unit, elements);
  }
  void MayShare(uint32_t input, uint32_t output, bool holds) {
    check_.MayShare(input, output, holds);
  }

 private:
  ParamChecker& check_;
};

using footprint::IsOfShorts;
// Returns true if the step has parameters, and they name int16 values.
template <typename Params>
bool IsOfShorts(const flatbuffers::Vector<const Params*>* rows, const format::Step& step) {
  return rows != nullptr && step.param() < rows->size() &&
         IsOfShorts(rows->Get(step.param())->codes());
}

// Requires int16 values, whose codes have no other parameters.
inline void RequireShorts(ParamChecker& check, const format::CodeRange& codes) {
  check.Require(codes.results() == format::Results::shorts, FaultCode::kParamType, codes.results());
  RequireNoCodeRange(check, codes);
}

// A limit of codes as an integer; 0x8000 for a number that is no int16 value. It is read from the
// bits of the float, so that firmware without an FPU contains no float conversion.
inline int32_t LimitOf(float limit) {
  if (IsZero(limit)) return 0;
  const uint32_t bits = BitsOf(limit);
  const uint32_t mantissa = (bits & 0x7FFFFFu) | 0x800000u;
  const uint32_t fraction_bits = 150 - (bits >> 23 & 0xFF);         // of the mantissa
  const bool is_small = fraction_bits >= 8 && fraction_bits <= 23;  // at least 1 and below 65536
  if (!is_small || (mantissa & ((1u << fraction_bits) - 1)) != 0) return 0x8000;
  const auto magnitude = static_cast<int32_t>(mantissa >> fraction_bits);
  if (bits >> 31 != 0) return magnitude <= 0x8000 ? -magnitude : 0x8000;
  return magnitude < 0x8000 ? magnitude : 0x8000;
}

// Checks a product "x weights mantissas [first] exponents -> y". Its activation limits the codes.
inline void RequireShortProduct(ParamChecker& check, const format::CodeRange& codes,
                                const format::Activation& activation) {
  check.Require(IsOfShorts(codes), FaultCode::kParamType, codes.results());
  RequireNoCodeRange(check, codes);
  check.RequireKnownActivation(activation);
  const auto op = static_cast<uint32_t>(activation.op());
  check.Require(activation.op() == format::UnaryOp::clamp, FaultCode::kParamOp, op, 1);
  check.Require(IsZero(activation.clip()), FaultCode::kParamOp, op, 0);
  const int32_t low = LimitOf(activation.alpha());
  RequireFactor(check, low, -0x8000, 0x7FFF);
  RequireFactor(check, LimitOf(activation.beta()), low, 0x7FFF);
  check.RequirePresent(4);
}

template <typename Params>
kernels::ShortResults ShortResultsOf(const Params& params, std::byte* const* operands) {
  const format::Activation& activation = params.activation();
  return {As<const int32_t>(operands[2]), As<const int64_t>(operands[3]),
          As<const int32_t>(operands[4]), LimitOf(activation.alpha()),
          LimitOf(activation.beta()),     params.codes().results() == format::Results::shorts32};
}

// Ends bind/<step>_shorts.cc, which defines RulesOfShorts and RunShorts.
#define WEFT_BIND_SHORTS_STEP(name, Name)                                                  \
  namespace weft::steps {                                                                  \
  namespace {                                                                              \
  constexpr bind::KindRules k##Name##ShortsChecks = {                                      \
      [](const void* row, bind::ParamChecker& check) {                                     \
        const auto& params = *static_cast<const format::Name##Params*>(row);               \
        check.RequireZero(bind::ReservedOf(params, 0));                                    \
        bind::name::RulesOfShorts(params, check);                                          \
        bind::ShortsVisitor visitor(check);                                                \
        if (check.ok()) footprint::Visit(params, visitor);                                 \
      },                                                                                   \
      sizeof(format::Name##Params)};                                                       \
  }                                                                                        \
  extern "C" Fault weft_check_##name##_shorts(const format::Model& model, uint32_t step) { \
    return bind::CheckStep(model, step, k##Name##ShortsChecks);                            \
  }                                                                                        \
  extern "C" void weft_run_##name##_shorts(const format::Model& model, uint32_t param,     \
                                           std::byte* const* operands) {                   \
    bind::name::RunShorts(*model.name()->Get(param), operands);                            \
  }                                                                                        \
  extern "C" Fault weft_check_##name##_mixed(const format::Model& model, uint32_t step) {  \
    const bool is_of_shorts = bind::IsOfShorts(model.name(), *model.steps()->Get(step));   \
    return is_of_shorts ? weft_check_##name##_shorts(model, step)                          \
                        : weft_check_##name(model, step);                                  \
  }                                                                                        \
  extern "C" void weft_run_##name##_mixed(const format::Model& model, uint32_t param,      \
                                          std::byte* const* operands) {                    \
    const bool is_of_shorts = bind::IsOfShorts(model.name()->Get(param)->codes());         \
    (is_of_shorts ? weft_run_##name##_shorts : weft_run_##name)(model, param, operands);   \
  }                                                                                        \
  }  // namespace weft::steps

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_SHORTS_H_
