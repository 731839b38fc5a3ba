// SPDX-License-Identifier: Apache-2.0
// Matrix products. A constant factor that is a single matrix is packed into panels (dense). Two
// computed factors, a batch of constant matrices, or integers use a strided matmul, which
// program/constant_products.h replaces if its constant becomes narrow.
#include "converter/ops/core/matmul.h"

#include <algorithm>
#include <array>
#include <string>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/permutation.h"

namespace weft::ops {
namespace {

constexpr std::string_view kTranspose[] = {"transpose_a", "transpose_b"};

// A vector is a row on the left and a column on the right; transposing it has no effect.
Matrix MatrixOf(const NodeScope& scope, size_t i) {
  const Dims& dims = scope.input_dims(i);
  if (dims.size() == 1) {
    return i == 0 ? Matrix{{}, {}, 1, dims[0], dims[0], 1} : Matrix{{}, {}, dims[0], 1, 1, 1};
  }
  return MatrixOver(dims, scope.attributes.Bool(kTranspose[i], false));
}

// The matrix at the strides of its value.
Matrix MatrixThere(const LowerScope& scope, size_t i) {
  if (scope.rank(i) == 1) return MatrixOf(scope, i);
  return MatrixOver(scope.input_dims(i), scope.input_strides(i),
                    scope.attributes.Bool(kTranspose[i], false));
}

// The output, of type `to`.
void InferProduct(InferScope& scope, ElementType to) {
  constexpr size_t kFactors[] = {0, 1};
  for (const size_t i : kFactors) {
    if (scope.rank(i) == 0) scope.Fault("input {} is a scalar; must have at least one axis", i);
  }
  if (scope.rank(0) == 0 || scope.rank(1) == 0) return;
  const Matrix a = MatrixOf(scope, 0), b = MatrixOf(scope, 1);
  if (a.columns != b.rows) {
    scope.Fault("{} has {} columns and {} has {} rows after transposition; both must be equal",
                ToString(scope.input_type(0)), a.columns, ToString(scope.input_type(1)), b.rows);
  }
  std::optional<Dims> dims = scope.Broadcast(a.batch, b.batch);
  if (!dims) return;
  if (scope.rank(0) > 1) dims->push_back(a.rows);
  if (scope.rank(1) > 1) dims->push_back(b.columns);
  scope.SetOutput(0, to, std::move(*dims));
}

void InferMatmul(InferScope& scope) {
  CheckNumeric(scope, std::array<size_t, 2>{0, 1});
  InferProduct(scope, scope.input_element(0));
}

void InferShortMatmul(InferScope& scope) {
  CheckElements(scope, std::array<size_t, 2>{0, 1}, {ElementType::i16});
  InferProduct(scope, ElementType::i32);
}

// Rows of x, contiguous as the dense step requires. A transposed factor is copied, which is much
// faster than reading it by columns in the product.
program::ValueId ContiguousRows(LowerScope& scope, const Matrix& a) {
  const program::ValueId source = scope.input(0);
  if (a.contiguous()) return source;
  const Dims dims = {a.batch_count(), a.rows, a.columns};
  const program::ValueId rows = scope.builder.Scratch({ElementType::f32, dims});
  scope.builder.CopyStrided(source, rows, dims, {a.rows * a.columns, a.row_stride, a.column_stride},
                            0, program::DenseStrides(dims), 0);
  return rows;
}

void LowerConstantRight(LowerScope& scope, const Matrix& a, const Matrix& b, program::ValueId y) {
  const program::ValueId weights = PackDense(scope.builder, CodedFloatsOf(*scope.constant(1)),
                                             b.column_stride, b.row_stride, b.columns, b.rows);
  EmitDense(scope.builder, a.batch_count() * a.rows, a.columns, b.columns, ContiguousRows(scope, a),
            weights, y);
}

// y = A x is a dense step with the rows of A as outputs, one row per vector x.
void LowerConstantLeft(LowerScope& scope, const Matrix& a, const Matrix& b, program::ValueId y) {
  const program::ValueId weights = PackDense(scope.builder, CodedFloatsOf(*scope.constant(0)),
                                             a.row_stride, a.column_stride, a.rows, a.columns);
  EmitDense(scope.builder, b.batch_count(), a.columns, a.rows, scope.input(1), weights, y);
  if (scope.rank(1) > 1) MarkLastStepOneColumn(scope.builder);
}

void LowerMatmul(LowerScope& scope) {
  const Matrix a = MatrixThere(scope, 0), b = MatrixThere(scope, 1);
  const program::ValueId y = scope.NewOutput(0);
  if (a.columns == 0) return scope.builder.Fill(y);
  const bool packs = scope.input_element(0) == ElementType::f32;
  if (packs && scope.constant(1) != nullptr && b.batch_count() == 1) {
    return LowerConstantRight(scope, a, b, y);
  }
  if (packs && scope.constant(0) != nullptr && a.batch_count() == 1 && b.columns == 1) {
    return LowerConstantLeft(scope, a, b, y);
  }
  const program::ValueId left = scope.input(0), right = scope.input(1);
  const MatrixProduct product = ProductOfBatches(BroadcastOf(a.batch, b.batch), a, b);
  EmitProduct(scope.builder, product, left, right, y);
}

void MatMulAxes(AxisScope& scope) {
  const auto out = static_cast<int64_t>(scope.out(0).size());
  const int64_t a = scope.rank(0), b = scope.rank(1);
  const int64_t vectors = (a == 1) + (b == 1);
  for (int64_t from_end = 3; from_end <= std::max(a, b); ++from_end) {
    scope.GroupFromEnd(from_end, out - from_end + vectors, kBoth);
  }
  if (a > 1) {
    const bool permuted = scope.attributes.Bool("transpose_a", false);
    scope.Pair(0, permuted ? a - 1 : a - 2, 0, b > 1 ? out - 2 : out - 1);
  }
  if (b > 1) {
    const bool permuted = scope.attributes.Bool("transpose_b", false);
    scope.Pair(1, permuted ? b - 2 : b - 1, 0, out - 1);
  }
  scope.relation.reason = "sums over time";
}

// A constant factor is packed into panels, which require contiguous rows of the other factor.
bool TakesStrides(const NodeScope& scope, size_t i) {
  return scope.rank(i) > 1 && scope.constant(0) == nullptr && scope.constant(1) == nullptr;
}

// Permuting to channels-last exchanges the last two of three axes, which is the transposition of a
// transposed factor.
void MatmulPermutation(PermuteScope& scope) {
  for (const size_t i : {0, 1}) {
    if (scope.rank(i) != 3 || !scope.attributes.Bool(kTranspose[i], false)) continue;
    if (scope.is_permuted(In(i)))
      scope.permutation.attributes[std::string(kTranspose[i])] = "false";
    scope.Tie({In(i)});
  }
}

constexpr Traits kMatMul = {.axes = MatMulAxes,
                            .permutation = MatmulPermutation,
                            .takes_strides = TakesStrides,
                            .heavy = true,
                            .multiplied = 1};

constexpr Traits kShortMatMul = {.axes = MatMulAxes,
                                 .permutation = MatmulPermutation,
                                 .takes_strides = TakesStrides,
                                 .heavy = true,
                                 .multiplied = 1,
                                 .is_extension = true};

constexpr Operation kMatmulRows[] = {
    {"MatMul", 1, 2, 2, InferMatmul, LowerNarrow<LowerMatmul>, kMatMul},
    {"ShortMatMul", kPassOnly, 2, 2, InferShortMatmul, LowerMatmul, kShortMatMul},
};

}  // namespace

std::span<const Operation> MatmulOperations() { return kMatmulRows; }

Matrix MatrixOver(const Dims& dims, bool transposed) {
  return MatrixOver(dims, program::DenseStrides(dims), transposed);
}

Matrix MatrixOver(const Dims& dims, const Dims& strides, bool transposed) {
  Matrix matrix{Dims(dims.begin(), dims.end() - 2),
                Dims(strides.begin(), strides.end() - 2),
                dims.end()[-2],
                dims.back(),
                strides.end()[-2],
                strides.back()};
  if (transposed) {
    std::swap(matrix.rows, matrix.columns);
    std::swap(matrix.row_stride, matrix.column_stride);
  }
  // A dense line of numbers is contiguous as a row and as a column.
  if ((matrix.rows == 1 || matrix.columns == 1) && strides == program::DenseStrides(dims)) {
    matrix.row_stride = matrix.columns;
    matrix.column_stride = 1;
  }
  return matrix;
}

namespace {

// Strides along the axes of `batch`; 0 if the matrices repeat.
Dims BatchStrides(const Matrix& matrix, const Dims& batch) {
  Dims strides(batch.size(), 0);
  const size_t missing = batch.size() - matrix.batch.size();
  for (size_t axis = 0; axis < matrix.batch.size(); ++axis) {
    if (matrix.batch[axis] != 1) strides[missing + axis] = matrix.batch_strides[axis];
  }
  return strides;
}

}  // namespace

MatrixProduct ProductOfBatches(const Dims& batch, const Matrix& a, const Matrix& b) {
  MatrixProduct product;
  product.batch = JoinedNest(batch, std::array{BatchStrides(a, batch), BatchStrides(b, batch)});
  product.rows = a.rows;
  product.columns = b.columns;
  product.inner = a.columns;
  product.a_row_stride = a.row_stride;
  product.a_inner_stride = a.column_stride;
  product.b_inner_stride = b.row_stride;
  product.b_column_stride = b.column_stride;
  return product;
}

void EmitProduct(program::Builder& builder, MatrixProduct product, program::ValueId a,
                 program::ValueId b, program::ValueId y) {
  StridedNest& batch = product.batch;
  // A batch that shares b only adds rows, and a batch of extent 1 is none.
  while (!batch.dims.empty()) {
    const bool shares_b = batch.strides[1].back() == 0 &&
                          batch.strides[0].back() == product.rows * product.a_row_stride;
    if (batch.dims.back() != 1 && !shares_b) break;
    product.rows *= batch.dims.back();
    batch.dims.pop_back();
    for (Dims& strides : batch.strides) strides.pop_back();
  }
  format::MatmulParams params;
  params.mutate_batch_rank(Narrow32(batch.dims.size(), "batch rank"));
  WriteDims(params.mutable_batch_dims(), batch.dims);
  WriteDims(params.mutable_a_batch_strides(), batch.strides[0]);
  WriteDims(params.mutable_b_batch_strides(), batch.strides[1]);
  params.mutate_rows(Narrow32(product.rows, "rows"));
  params.mutate_columns(Narrow32(product.columns, "columns"));
  params.mutate_inner(Narrow32(product.inner, "inner"));
  params.mutate_a_row_stride(Narrow32(product.a_row_stride, "a row stride"));
  params.mutate_a_inner_stride(Narrow32(product.a_inner_stride, "a inner stride"));
  params.mutate_b_inner_stride(Narrow32(product.b_inner_stride, "b inner stride"));
  params.mutate_b_column_stride(Narrow32(product.b_column_stride, "b column stride"));
  params.mutate_type(builder.type(a));
  builder.Emit(params, {a, b}, {y});
}

}  // namespace weft::ops
