// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/activation.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// clamp(x + 3, 0, 6) / 6, as in the formula: x / 6 + 1 / 2 would round differently.
HWY_INLINE FloatVec HSigmoid(FloatVec x) {
  return Divide(Clamp(hn::Add(x, Set(3.0f)), 0.0f, 6.0f), Set(6.0f));
}

HWY_INLINE FloatVec HSwish(FloatVec x) {
  return Divide(hn::Mul(x, Clamp(hn::Add(x, Set(3.0f)), 0.0f, 6.0f)), Set(6.0f));
}

// The functions that need only a few instructions and are always linked.
HWY_INLINE void ActivateLinear(UnaryOp op, float alpha, float beta, const float* x, float* y,
                               size_t count) {
  WEFT_SWITCH(Linear, op) {
    WEFT_ACTIVATE(kAbs, hn::Abs(v))
    WEFT_ACTIVATE(kNegative, hn::Neg(v))
    WEFT_ACTIVATE(kRelu, Relu(v))
    WEFT_ACTIVATE(kClamp, Clamp(v, alpha, beta))
    WEFT_ACTIVATE(kHardSigmoid, Clamp(Fma(v, Set(alpha), Set(beta)), 0.0f, 1.0f))
    WEFT_ACTIVATE(kHSigmoid, HSigmoid(v))
    WEFT_ACTIVATE(kHSwish, HSwish(v))
    case Of::kIdentity:
    case Of::kOther:
      return Map(x, y, count, [](FloatVec v) HWY_ATTR { return v; });
  }
}

void ActivateSpan(const Activation& activation, const float* x, float* y, size_t count) {
  if (activation.clip > 0.0f) {
    const float clip = activation.clip;
    Map(x, y, count, [=](FloatVec v) HWY_ATTR { return Clamp(v, -clip, clip); });
    x = y;
  }
  const UnaryOp op = activation.op;
  switch (GroupOf(op)) {
#define WEFT_ACTIVATIONS(group, Group) \
  case ActivationGroup::k##Group:      \
    return Activate##Group(op, activation.alpha, activation.beta, x, y, count);
#include "kernels/variants.inc"
#undef WEFT_ACTIVATIONS
    default:
      return ActivateLinear(op, activation.alpha, activation.beta, x, y, count);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
