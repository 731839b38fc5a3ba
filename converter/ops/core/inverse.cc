// SPDX-License-Identifier: Apache-2.0
// Inverse: Gauss-Jordan elimination with row pivoting on each matrix, augmented by the identity.
// Each column is a round of steps over the complete batch. The row with the maximum magnitude is
// swapped with the column's own row and divided by its pivot; its multiples are subtracted from all
// other rows. A singular matrix yields infinities and NaNs without affecting other matrices of the
// batch.
#include "converter/ops/core/top.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;

// Each row takes up to 13 steps.
constexpr int64_t kMaxInverseRows = 16;

void InferInverse(InferScope& scope) {
  constexpr size_t kMatrices[] = {0};
  CheckElements(scope, kMatrices, {ElementType::f32});
  scope.attributes.Bool("adjoint", false);
  const Dims& dims = scope.input_dims(0);
  if (dims.size() < 2 || dims.back() != dims[dims.size() - 2]) {
    scope.Fault("data is {}; must be square matrices along its last two axes",
                ToString(scope.input_type(0)));
  } else if (dims.back() > kMaxInverseRows) {
    scope.Fault("data is {}; must be matrices of at most {} rows (each row adds up to 13 steps)",
                ToString(scope.input_type(0)), kMaxInverseRows);
  }
  scope.SetOutput(0, scope.input_type(0));
}

// Emits the rounds over [batch, rows, 2 * rows].
class InverseSteps {
 public:
  InverseSteps(program::Builder& builder, int64_t batch, int64_t rows)
      : builder_(builder), batch_(batch), rows_(rows) {}

  // Each matrix, optionally transposed, augmented by the identity.
  program::ValueId Augmented(program::ValueId x, bool is_transposed) {
    std::vector<float> unit(static_cast<size_t>(rows_ * rows_));
    for (int64_t i = 0; i < rows_; ++i) unit[static_cast<size_t>(i * rows_ + i)] = 1;
    const program::ValueId stored = builder_.WeightsOf({ElementType::f32, {rows_, rows_}}, unit);
    const program::ValueId both = Whole();
    const Dims dims = {batch_, rows_, rows_}, to = {rows_ * width(), width(), 1};
    const Dims straight = {rows_ * rows_, rows_, 1}, permuted = {rows_ * rows_, 1, rows_};
    builder_.CopyStrided(x, both, dims, is_transposed ? permuted : straight, 0, to, 0);
    builder_.CopyStrided(stored, both, dims, {0, rows_, 1}, 0, to, rows_);
    return both;
  }

  // x with the pivot row of column `at` swapped into row `at`.
  program::ValueId Pivoted(program::ValueId x, int64_t at) {
    if (at == rows_ - 1) return x;
    const program::ValueId order = Order(PivotRow(x, at), at);
    const program::ValueId y = Whole();
    EmitGather(builder_, {batch_, 1, rows_, width(), rows_}, x, order, y);
    return y;
  }

  // x with column `at` reduced to that of the identity.
  program::ValueId Eliminated(program::ValueId x, int64_t at) {
    const int64_t matrix = rows_ * width();
    const program::ValueId row = builder_.Scratch({ElementType::f32, {batch_, width()}});
    const program::ValueId multiples = Whole(), y = Whole();
    const std::array divided = {Dims{matrix, 1}, Dims{matrix, 0}};
    EmitBinary(builder_, BinaryOp::divide, JoinedNest({batch_, width()}, divided),
               From(x, at * width()), From(x, at * width() + at), row);
    const std::array multiplied = {Dims{matrix, width(), 0}, Dims{width(), 0, 1}};
    EmitBinary(builder_, BinaryOp::multiply, JoinedNest({batch_, rows_, width()}, multiplied),
               From(x, at), row, multiples);
    EmitBinary(builder_, BinaryOp::subtract, x, multiples, y);
    builder_.CopyStrided(row, y, {batch_, width()}, {width(), 1}, 0, {matrix, 1}, at * width());
    return y;
  }

  void TakeRight(program::ValueId x, program::ValueId y) {
    builder_.CopyStrided(x, y, {batch_, rows_, rows_}, {rows_ * width(), width(), 1}, rows_,
                         {rows_ * rows_, rows_, 1}, 0);
  }

 private:
  int64_t width() const { return 2 * rows_; }
  program::ValueId Whole() {
    return builder_.Scratch({ElementType::f32, {batch_, rows_, width()}});
  }

  // A view of x from element `first` on.
  program::ValueId From(program::ValueId x, int64_t first) {
    return builder_.View(x, first * ElementBytes(ElementType::f32),
                         {ElementType::f32, {batch_ * rows_ * width() - first}});
  }

  // [batch]: the row, from `at` on, with the maximum magnitude in column `at`.
  program::ValueId PivotRow(program::ValueId x, int64_t at) {
    const int64_t left = rows_ - at;
    const TensorType column = {ElementType::f32, {batch_, left}};
    const program::ValueId numbers = builder_.Scratch(column), sizes = builder_.Scratch(column);
    const program::ValueId largest = builder_.Scratch({ElementType::f32, {batch_, 1}});
    const TensorType positions = {ElementType::i32, {batch_, 1}};
    const program::ValueId position = builder_.Scratch(positions),
                           row = builder_.Scratch(positions);
    builder_.CopyStrided(x, numbers, {batch_, left}, {rows_ * width(), width()}, at * width() + at,
                         {left, 1}, 0);
    EmitUnary(builder_, format::UnaryOp::abs, numbers, sizes);
    EmitTop(builder_, {.outer = batch_, .axis = left}, sizes, largest, position);
    EmitBinary(builder_, BinaryOp::add, position, IntegerWeights(builder_, ElementType::i32, {at}),
               row);
    return row;
  }

  // [batch, rows]: the row numbers in order, with `at` and each batch's `row` exchanged.
  program::ValueId Order(program::ValueId row, int64_t at) {
    const Dims dims = {batch_, rows_};
    const Operand numbers = {IndexSequence(builder_, ElementType::i32, rows_), {1, rows_}};
    const program::ValueId is_row = builder_.Scratch({ElementType::boolean, dims});
    const program::ValueId order = builder_.Scratch({ElementType::i32, dims});
    EmitCompare(builder_, format::CompareOp::equal, numbers, {row, {batch_, 1}}, is_row);
    EmitSelect(builder_, {is_row, dims}, {IntegerWeights(builder_, ElementType::i32, {at}), {1, 1}},
               numbers, {order, dims});
    builder_.CopyStrided(row, order, {batch_}, {1}, 0, {rows_}, at);
    return order;
  }

  program::Builder& builder_;
  const int64_t batch_, rows_;
};

void LowerInverse(LowerScope& scope) {
  const Dims dims = scope.output_type(0).dims;
  const program::ValueId y = scope.NewOutput(0);
  InverseSteps steps(scope.builder, ProductOf(dims, 0, dims.size() - 2), dims.back());
  program::ValueId x = steps.Augmented(scope.input(0), scope.attributes.Bool("adjoint", false));
  for (int64_t at = 0; at < dims.back(); ++at) x = steps.Eliminated(steps.Pivoted(x, at), at);
  steps.TakeRight(x, y);
}

void InverseAxes(AxisScope& scope) {
  for (int64_t axis = 0; axis < scope.rank(0) - 2; ++axis) scope.Pair(0, axis, 0, axis);
  scope.relation.reason = "inverts matrices over time";
}

constexpr Operation kInverseRows[] = {
    {"Inverse", 14, 1, 1, InferInverse, LowerInverse, Apart(InverseAxes)},
};

}  // namespace

std::span<const Operation> InverseOperations() { return kInverseRows; }

}  // namespace weft::ops
