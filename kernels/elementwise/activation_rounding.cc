// SPDX-License-Identifier: Apache-2.0
// Rounding, signs and roots.
#define WEFT_DEFINES_GROUP
#include "kernels/elementwise/activation.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/activation_rounding.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Zero and NaN keep their sign. The sum turns a subnormal number to zero where it counts as zero.
HWY_INLINE FloatVec Sign(FloatVec x) {
  const FloatVec one = hn::CopySign(Set(1.0f), x);
  const FloatMask has_sign = hn::Gt(hn::Abs(x), Set(0.0f));
  return hn::IfThenElse(has_sign, one, hn::Add(x, x));
}

HWY_INLINE FloatVec LogicalNot(FloatVec x) {
  return hn::IfThenElseZero(hn::Eq(x, Set(0.0f)), Set(1.0f));
}

HWY_INLINE FloatVec SoftSign(FloatVec x) { return Divide(x, hn::Add(hn::Abs(x), Set(1.0f))); }

void ActivateRounding(UnaryOp op, float, float, const float* x, float* y, size_t count) {
  WEFT_SWITCH(Rounding, op) {
    WEFT_ACTIVATE(kCeiling, RoundUp(v))
    WEFT_ACTIVATE(kFloor, RoundDown(v))
    WEFT_ACTIVATE(kSign, Sign(v))
    WEFT_ACTIVATE(kRoundEven, RoundEven(v))
    WEFT_ACTIVATE(kRoundAway, RoundAway(v))
    WEFT_ACTIVATE(kSqrt, SquareRoot(v))
    WEFT_ACTIVATE(kSoftSign, SoftSign(v))
    WEFT_ACTIVATE(kLogicalNot, LogicalNot(v))
    case Of::kOther:
      return;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
const char weft_variant_activation_rounding = 0;
#endif  // HWY_ONCE
