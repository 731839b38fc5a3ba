// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and the error function.
#define WEFT_DEFINES_GROUP
#include "kernels/elementwise/activation.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/activation_periodic.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE FloatVec GeluErf(FloatVec x) {
  const FloatVec half = hn::Mul(x, Set(0.5f));
  return Fma(half, Erf(hn::Mul(x, Set(0.70710678f))), half);
}

void ActivatePeriodic(UnaryOp op, float, float, const float* x, float* y, size_t count) {
  WEFT_SWITCH(Periodic, op) {
    WEFT_ACTIVATE(kSin, Sin(v))
    WEFT_ACTIVATE(kCos, Cos(v))
    WEFT_ACTIVATE(kErf, Erf(v))
    WEFT_ACTIVATE(kGeluErf, GeluErf(v))
    case Of::kOther:
      return;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
const char weft_variant_activation_periodic = 0;
#endif  // HWY_ONCE
