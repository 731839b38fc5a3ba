// SPDX-License-Identifier: Apache-2.0
// The activation y = op(clip(x)) over a span. There is one compiled copy per target
// (activation.cc), which every kernel with an activation calls on its latest results, while they
// are in the L1 cache or on the stack. Defined per target: no dispatch at run time.

#if defined(WEFT_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
#undef WEFT_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
#else
#define WEFT_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
#endif

#include "kernels/elementwise/activation.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Number of units of a recurrent cell that are processed on the stack at a time; boards have little
// stack.
inline constexpr size_t kGateBlock = HWY_TARGET == HWY_SCALAR ? 16 : 64;

// y[i] = op(clip(x[i])) for count floats; y may be x.
void ActivateSpan(const Activation& activation, const float* x, float* y, size_t count);

// The groups that may be absent: their references are weak (activation.h). COFF does not find a
// definition that is weak as well.
#undef WEFT_WEAK_GROUP
#if defined(_WIN32) && defined(WEFT_DEFINES_GROUP)
#define WEFT_WEAK_GROUP
#else
#define WEFT_WEAK_GROUP __attribute__((weak))
#endif
#define WEFT_ACTIVATIONS(group, Group)                                                      \
  WEFT_WEAK_GROUP void Activate##Group(UnaryOp op, float alpha, float beta, const float* x, \
                                       float* y, size_t count);
#include "kernels/variants.inc"
#undef WEFT_ACTIVATIONS

// A group's switch has a row for each of its functions, each with its own loop.
#undef WEFT_SWITCH
#define WEFT_SWITCH(Group, op)                       \
  using Of = FunctionsOf<ActivationGroup::k##Group>; \
  switch (static_cast<Of::Op>(op))
#undef WEFT_ACTIVATE
#define WEFT_ACTIVATE(op, formula) \
  case Of::op:                     \
    return Map(x, y, count, [=](FloatVec v) HWY_ATTR { return formula; });

// Returns true if the activation changes nothing.
HWY_INLINE bool IsPlain(const Activation& activation) {
  return activation.op == UnaryOp::kIdentity && !(activation.clip > 0.0f);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_ELEMENTWISE_ACTIVATION_INL_H_
