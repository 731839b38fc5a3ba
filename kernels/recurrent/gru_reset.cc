// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_reset.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/gru_reset.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void GruReset(const GruResetShape& shape, const float* pre, const float* h, float* z,
              float* reset_h) {
  const size_t hidden = shape.hidden;
  if (hidden == 0) return;  // the rows are unbounded in this case
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t i = 0; i < hidden; i += kGateBlock) {
      const size_t count = hidden - i < kGateBlock ? hidden - i : kGateBlock;
      const float* units = pre + row * shape.pre_row_stride + i;
      float r[kGateBlock];
      ActivateSpan(shape.f, units + hidden, r, count);
      ActivateSpan(shape.f, units, z + i, count);
      ForVectors(count, [&](size_t at, size_t lanes) HWY_ATTR {
        const FloatVec old = LoadFirst(h + i + at, lanes);
        StoreFirst(hn::Mul(LoadFirst(r + at, lanes), old), reset_h + i + at, lanes);
      });
    }
    h += hidden;
    z += hidden;
    reset_h += hidden;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(GruReset,
            (const GruResetShape& shape, const float* pre, const float* h, float* z,
             float* reset_h),
            (shape, pre, h, z, reset_h))
