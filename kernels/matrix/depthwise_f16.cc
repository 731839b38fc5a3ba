// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/depthwise_f16.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/depthwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A whole: GCC cuts a function in two where it begins with a test.
HWY_NOINLINE void DepthwiseF16(const DepthwiseShape& shape, const float* x, const F16* weights,
                               const float* bias, float* y) {
  RunDepthwise(shape, x, weights, bias, y);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(DepthwiseF16);

void Depthwise(const DepthwiseShape& shape, const float* x, const F16* weights, const float* bias,
               float* y) {
  HWY_DYNAMIC_DISPATCH(DepthwiseF16)(shape, x, weights, bias, y);
}

}  // namespace weft::kernels

const char weft_variant_depthwise_f16 = 0;
#endif  // HWY_ONCE
