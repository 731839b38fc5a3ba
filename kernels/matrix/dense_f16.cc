// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense_f16.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/dense-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A whole: GCC cuts a function in two where it begins with a test.
HWY_NOINLINE void DenseF16(const DenseShape& shape, const float* x, const F16* weights,
                           const float* start, float* y) {
  RunDense(shape, x, weights, start, y);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(DenseF16);

void Dense(const DenseShape& shape, const float* x, const F16* weights, const float* start,
           float* y) {
  HWY_DYNAMIC_DISPATCH(DenseF16)(shape, x, weights, start, y);
}

}  // namespace weft::kernels

const char weft_variant_dense_f16 = 0;
#endif  // HWY_ONCE
