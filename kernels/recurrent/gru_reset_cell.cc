// SPDX-License-Identifier: Apache-2.0
// One source for every type of weights: float here, the others in gru_reset_cell_<type>.cc, which
// the build generates from kernels/matrix/weights.cc.in.
#include "kernels/recurrent/gru_reset_cell.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/gru_reset_cell.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/gru_reset_cell-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Not inlined: GCC splits a function that begins with a test.
HWY_NOINLINE void GruResetCell(const CellShape& shape, const float* x, const WEFT_WEIGHT* weights,
                               const float* h, const float* start, float* h_next, float* reset_h) {
  RunGruResetCell(shape, x, weights, h, start, h_next, reset_h);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(GruResetCell,
            (const CellShape& shape, const float* x, const WEFT_WEIGHT* weights, const float* h,
             const float* start, float* h_next, float* reset_h),
            (shape, x, weights, h, start, h_next, reset_h))
