// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_q8_shorts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense_q8_shorts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/row_of_shorts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void DenseQ8Shorts(const DenseQ8Shape& shape, const int16_t* x, const int8_t* weights,
                   const ShortResults& results, int16_t* y) {
  if (shape.outputs == 0) return;  // the rows are not bounded then
  for (size_t r = 0; r < shape.rows; ++r) {
    // The stride after the last row may have any value.
    const int16_t* const from = shape.inputs == 0 ? x : x + r * shape.x_row_stride;
    RunRowOfShorts(from, shape.inputs, weights, results, shape.outputs, y + r * shape.y_row_stride,
                   1);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(DenseQ8Shorts,
            (const DenseQ8Shape& shape, const int16_t* x, const int8_t* weights,
             const ShortResults& results, int16_t* y),
            (shape, x, weights, results, y))
