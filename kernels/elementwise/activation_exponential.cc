// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms.
#define WEFT_DEFINES_GROUP
#include "kernels/elementwise/activation.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/activation_exponential.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE FloatVec Elu(FloatVec x, float alpha) {
  return hn::IfThenElse(hn::Lt(x, Set(0.0f)), hn::Mul(Set(alpha), ExpMinusOne(x)), x);
}

void ActivateExponential(UnaryOp op, float alpha, float beta, const float* x, float* y,
                         size_t count) {
  WEFT_SWITCH(Exponential, op) {
    WEFT_ACTIVATE(kExp, Exp(v))
    WEFT_ACTIVATE(kLog, Log(v))
    WEFT_ACTIVATE(kElu, Elu(v, alpha))
    WEFT_ACTIVATE(kSelu, hn::Mul(Elu(v, alpha), Set(beta)))
    WEFT_ACTIVATE(kSoftPlus, SoftPlus(v))
    WEFT_ACTIVATE(kMish, Mish(v))
    case Of::kOther:
      return;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
const char weft_variant_activation_exponential = 0;
#endif  // HWY_ONCE
