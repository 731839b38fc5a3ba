// SPDX-License-Identifier: Apache-2.0
// One source for every type of weights: float here, the others in lstm_cell_<type>.cc, which the
// build generates from kernels/matrix/weights.cc.in.
#include "kernels/recurrent/lstm_cell.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/lstm_cell.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/lstm_cell-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Not inlined: GCC splits a function that begins with a test.
HWY_NOINLINE void LstmCell(const CellShape& shape, const float* x, const WEFT_WEIGHT* weights,
                           const float* h, const float* c, const float* start, float* h_next,
                           float* c_next) {
  RunLstmCell(shape, x, weights, h, c, start, h_next, c_next);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(LstmCell,
            (const CellShape& shape, const float* x, const WEFT_WEIGHT* weights, const float* h,
             const float* c, const float* start, float* h_next, float* c_next),
            (shape, x, weights, h, c, start, h_next, c_next))
