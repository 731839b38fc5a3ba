// SPDX-License-Identifier: Apache-2.0
// The functions of the gates of recurrent cells.
#define WEFT_DEFINES_GROUP
#include "kernels/elementwise/activation.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/activation_sigmoid.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// x / 2 * (1 + tanh(u)) = x * sigmoid(2 u), u = sqrt(2 / pi) * (x + 0.044715 x^3).
HWY_INLINE FloatVec GeluTanh(FloatVec x) {
  const FloatVec inner = Fma(hn::Mul(x, x), Set(0.07135481f), Set(1.5957691f));
  return hn::Mul(x, Sigmoid(hn::Mul(x, inner)));
}

void ActivateSigmoid(UnaryOp op, float alpha, float, const float* x, float* y, size_t count) {
  WEFT_SWITCH(Sigmoid, op) {
    WEFT_ACTIVATE(kSigmoid, Sigmoid(v))
    WEFT_ACTIVATE(kTanh, Tanh(v))
    WEFT_ACTIVATE(kSwish, hn::Mul(v, Sigmoid(hn::Mul(v, Set(alpha)))))
    WEFT_ACTIVATE(kGeluTanh, GeluTanh(v))
    case Of::kOther:
      return;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
const char weft_variant_activation_sigmoid = 0;
#endif  // HWY_ONCE
