// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_q8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/dense_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/rows_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void DenseQ8(const DenseQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const FactorsQ8& factors, void* y) {
  if (shape.outputs == 0) return;  // the rows are not bounded then
  RowsQ8 rows = {ResultWriter(shape.results, shape.activation), weights, factors, y};
  rows.inputs = shape.inputs;
  rows.outputs = shape.outputs;
  rows.x_stride = shape.inputs == 0 ? 0 : shape.x_row_stride;  // may have any value without inputs
  rows.y_stride = shape.y_row_stride;
  rows.start_stride = shape.start_row_stride;
  rows.y_output_stride = 1;
#if HWY_TARGET != HWY_SCALAR
  ShiftedFirst<1536> shifted;
  ShiftRows(rows, shape.rows, shifted);
#endif
#if defined(WEFT_QUADS)
  if (RunByQuads(rows, rows.inputs, shape.rows,
                 [&](const RowsQ8& part, size_t) HWY_ATTR { RunRowsQ8(part, x, 0, shape.rows); })) {
    return;
  }
#endif
  RunRowsQ8(rows, x, 0, shape.rows);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(DenseQ8,
            (const DenseQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const FactorsQ8& factors, void* y),
            (shape, x, weights, factors, y))
