// SPDX-License-Identifier: Apache-2.0
// The tail y = op(clip(x)) over a span, one compiled copy per target (activation.cc) that every
// kernel with a tail calls; kernels call it on what they have just written, while that lies in the
// first cache or on the stack. Defined per target: no dispatch at run time.

#if defined(WEFT_KERNELS_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_ACTIVATION_INL_H_
#undef WEFT_KERNELS_ACTIVATION_INL_H_
#else
#define WEFT_KERNELS_ACTIVATION_INL_H_
#endif

#include "kernels/activation.h"
#include "kernels/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// y[i] = op(clip(x[i])) for count floats; y may be x.
void ActivateSpan(const Activation& activation, const float* x, float* y, size_t count);

// True where the tail changes nothing.
HWY_INLINE bool IsPlain(const Activation& activation) {
  return activation.op == UnaryOp::kIdentity && !(activation.clip > 0.0f);
}

// True for op alone, without clip: such a tail may run inline.
HWY_INLINE bool IsJust(const Activation& activation, UnaryOp op) {
  return activation.op == op && !(activation.clip > 0.0f);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_ACTIVATION_INL_H_
