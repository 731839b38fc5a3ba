// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_cell.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/gru_cell_f16.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/gru_cell-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A whole: GCC cuts a function in two where it begins with a test.
HWY_NOINLINE void GruCellF16(const CellShape& shape, const float* x, const F16* weights,
                             const float* h, const float* start, const float* r_start,
                             float* h_next) {
  RunGruCell(shape, x, weights, h, start, r_start, h_next);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(GruCellF16);

void GruCell(const CellShape& shape, const float* x, const F16* weights, const float* h,
             const float* start, const float* r_start, float* h_next) {
  HWY_DYNAMIC_DISPATCH(GruCellF16)(shape, x, weights, h, start, r_start, h_next);
}

}  // namespace weft::kernels

const char weft_variant_gru_cell_f16 = 0;
#endif  // HWY_ONCE
