// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_update.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/gru_update.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void GruUpdate(const GruUpdateShape& shape, const float* pre, const float* z, const float* h,
               float* h_next) {
  const size_t hidden = shape.hidden;
  if (hidden == 0) return;  // the rows are unbounded in this case
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t i = 0; i < hidden; i += kGateBlock) {
      const size_t count = hidden - i < kGateBlock ? hidden - i : kGateBlock;
      float n[kGateBlock];
      ActivateSpan(shape.g, pre + row * shape.pre_row_stride + i, n, count);
      ForVectors(count, [&](size_t at, size_t lanes) HWY_ATTR {
        const FloatVec candidate = LoadFirst(n + at, lanes);
        const FloatVec distance = hn::Sub(LoadFirst(h + i + at, lanes), candidate);
        StoreFirst(Fma(LoadFirst(z + i + at, lanes), distance, candidate), h_next + i + at, lanes);
      });
    }
    z += hidden;
    h += hidden;
    h_next += hidden;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(GruUpdate,
            (const GruUpdateShape& shape, const float* pre, const float* z, const float* h,
             float* h_next),
            (shape, pre, z, h, h_next))
