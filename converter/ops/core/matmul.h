// SPDX-License-Identifier: Apache-2.0
// Matrix products of two computed factors, for lowerings of any family: strided matmul steps. Shape
// inference has checked the sizes.
#ifndef WEFT_CONVERTER_OPS_CORE_MATMUL_H_
#define WEFT_CONVERTER_OPS_CORE_MATMUL_H_

#include <cstdint>
#include <utility>

#include "converter/ops/support/broadcast.h"
#include "converter/program/builder.h"

namespace weft::ops {

// Matrices [batch..., rows, columns]; strides in elements.
struct Matrix {
  Dims batch, batch_strides;
  int64_t rows, columns;
  int64_t row_stride, column_stride;
  int64_t batch_count() const { return ElementCount(batch).value_or(0); }
  bool contiguous() const { return column_stride == 1; }
};

// The matrices of a tensor of at least two axes, optionally transposed. Without `strides` the
// tensor is dense.
Matrix MatrixOver(const Dims& dims, bool transposed = false);
Matrix MatrixOver(const Dims& dims, const Dims& strides, bool transposed = false);

// y[i..., m, n] = sum over k of a[i..., m, k] * b[i..., k, n]; strides in elements, 0 repeats.
struct MatrixProduct {
  StridedNest batch;  // of a and b; rank at most kMatmulBatchRank
  int64_t rows = 1, columns = 1, inner = 1;
  int64_t a_row_stride = 1, a_inner_stride = 1, b_inner_stride = 1, b_column_stride = 1;
};

// a * b, whose batches broadcast to `batch` by NumPy's rule.
MatrixProduct ProductOfBatches(const Dims& batch, const Matrix& a, const Matrix& b);

// Emits the product into y, which is contiguous. No extent may be 0.
void EmitProduct(program::Builder& builder, MatrixProduct product, program::ValueId a,
                 program::ValueId b, program::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_MATMUL_H_
