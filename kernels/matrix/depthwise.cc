// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/depthwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/depthwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A whole: GCC cuts a function in two where it begins with a test.
HWY_NOINLINE void Depthwise(const DepthwiseShape& shape, const float* x, const float* weights,
                            const float* bias, float* y) {
  RunDepthwise(shape, x, weights, bias, y);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Depthwise);

void Depthwise(const DepthwiseShape& shape, const float* x, const float* weights, const float* bias,
               float* y) {
  HWY_DYNAMIC_DISPATCH(Depthwise)(shape, x, weights, bias, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
