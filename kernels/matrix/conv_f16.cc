// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/conv_f16.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/conv-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A whole: GCC cuts a function in two where it begins with a test.
HWY_NOINLINE void ConvF16(const ConvShape& shape, const float* x, const F16* weights,
                          const float* bias, float* y) {
  RunConv(shape, x, weights, bias, y);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(ConvF16);

void Conv(const ConvShape& shape, const float* x, const F16* weights, const float* bias, float* y) {
  HWY_DYNAMIC_DISPATCH(ConvF16)(shape, x, weights, bias, y);
}

}  // namespace weft::kernels

const char weft_variant_conv_f16 = 0;
#endif  // HWY_ONCE
