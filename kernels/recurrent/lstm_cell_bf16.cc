// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_cell.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/lstm_cell_bf16.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/lstm_cell-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A whole: GCC cuts a function in two where it begins with a test.
HWY_NOINLINE void LstmCellBF16(const CellShape& shape, const float* x, const BF16* weights,
                               const float* h, const float* c, const float* start, float* h_next,
                               float* c_next) {
  RunLstmCell(shape, x, weights, h, c, start, h_next, c_next);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(LstmCellBF16);

void LstmCell(const CellShape& shape, const float* x, const BF16* weights, const float* h,
              const float* c, const float* start, float* h_next, float* c_next) {
  HWY_DYNAMIC_DISPATCH(LstmCellBF16)(shape, x, weights, h, c, start, h_next, c_next);
}

}  // namespace weft::kernels

const char weft_variant_lstm_cell_bf16 = 0;
#endif  // HWY_ONCE
