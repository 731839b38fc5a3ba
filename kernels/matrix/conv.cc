// SPDX-License-Identifier: Apache-2.0
// One source for every weight type: float here, the others in conv_<type>.cc, which the build
// generates from kernels/matrix/weights.cc.in.
#include "kernels/matrix/conv.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/conv.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/conv-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Not inlined: otherwise GCC splits a function that begins with a test.
HWY_NOINLINE void Conv(const ConvShape& shape, const float* x, const WEFT_WEIGHT* weights,
                       const float* bias, float* y) {
  RunConv(shape, x, weights, bias, y);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Conv,
            (const ConvShape& shape, const float* x, const WEFT_WEIGHT* weights, const float* bias,
             float* y),
            (shape, x, weights, bias, y))
