// SPDX-License-Identifier: Apache-2.0
// The additions of the entries of narrow_steps.inc to the plain ones.
#ifndef WEFT_RUNTIME_BIND_NARROW_H_
#define WEFT_RUNTIME_BIND_NARROW_H_

#include "kernels/matrix/weights.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/variants.h"

namespace weft::bind {

// A weight type whose data or sums are not floats would need separate rules for the other operands.
#define WEFT_WEIGHTS(name, Name, x, sum) \
  static_assert(format::ElementType::x == kF32 && format::ElementType::sum == kF32);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS

constexpr bool IsWeightType(format::ElementType type) {
  switch (type) {
#define WEFT_WEIGHTS(name, ...) case format::ElementType::name:
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
    case kF32:
      return true;
    default:
      return false;
  }
}

// Requires that operand 1 has `elements` weights of the type that the parameters name, and that
// this program has linked that type.
template <typename Params>
void RequireWeights(ParamChecker& check, const Params& params, uint32_t elements) {
  const auto type = static_cast<uint32_t>(params.weights());
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.Require(IsWeightType(params.weights()), FaultCode::kParamType, type, 0);
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, type, 0);
  check.RequireOperand(1, params.weights(), elements);
  check.RequireAlignment(1, kernels::kWeightsAlignment);
}

// Calls call(Weight()) with the type that the parameters name, or with float if this program has
// not linked that type.
template <typename Call>
__attribute__((always_inline)) inline void WithWeights(format::ElementType type, const Call& call) {
  switch (type) {
#define WEFT_WEIGHTS(name, Name, ...) \
  case format::ElementType::name:     \
    return call(kernels::Name());
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
    default:
      return call(float());
  }
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_NARROW_H_
