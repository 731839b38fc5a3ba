// SPDX-License-Identifier: Apache-2.0
// One source for every weight type: float here, the others in dense_<type>.cc, which the build
// generates from kernels/matrix/weights.cc.in.
#include "kernels/matrix/dense.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/dense-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Not inlined: otherwise GCC splits a function that begins with a test.
HWY_NOINLINE void Dense(const DenseShape& shape, const float* x, const WEFT_WEIGHT* weights,
                        const float* start, float* y) {
  RunDense(shape, x, weights, start, y);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Dense,
            (const DenseShape& shape, const float* x, const WEFT_WEIGHT* weights,
             const float* start, float* y),
            (shape, x, weights, start, y))
