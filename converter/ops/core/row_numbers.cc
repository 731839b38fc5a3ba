// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/row_numbers.h"

#include <limits>

#include "converter/ops/core/reduce.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::CompareOp;

// Steps over tuples, [tuples, depth].
class TupleSteps {
 public:
  TupleSteps(program::Builder& builder, program::ValueId tuples, const Dims& extents)
      : builder_(builder),
        extents_(extents),
        type_(builder.type(tuples)),
        dims_(TupleDims(builder, tuples, extents)),
        tuples_{tuples, dims_} {}

  program::ValueId RowNumbers() {
    const int64_t rows = ProductOf(extents_, 0, extents_.size());
    const Operand inside = Inside();
    const Operand from_start = Combined(builder_, BinaryOp::floor_mod, tuples_, Known(extents_));
    const Operand offset =
        Combined(builder_, BinaryOp::multiply, from_start, Known(program::DenseStrides(extents_)));
    const Operand none = {IntegerWeights(builder_, type_, {rows}), {1, 1}};
    const Operand chosen = Selected(builder_, inside, offset, none);
    const program::ValueId numbers = builder_.Scratch({type_, {dims_[0]}});
    const ReduceAxis axes[] = {{dims_[0], dims_[1], false}, {dims_[1], 1, true}};
    EmitReduce(builder_, format::ReduceOp::sum, CollapsedAxes(axes), chosen.value, numbers);
    return numbers;
  }

 private:
  static Dims TupleDims(program::Builder& builder, program::ValueId tuples, const Dims& extents) {
    const auto depth = static_cast<int64_t>(extents.size());
    return {ElementCount(builder.dims(tuples)).value_or(0) / depth, depth};
  }

  // One number per axis, the same for all tuples.
  Operand Known(const Dims& numbers) {
    return {IntegerWeights(builder_, type_, numbers), {1, dims_[1]}};
  }

  // True for each coordinate in [-extent, extent).
  Operand Inside() {
    Dims min;
    for (const int64_t extent : extents_) min.push_back(-extent);
    const Operand low = Compared(builder_, CompareOp::greater_equal, tuples_, Known(min));
    const Operand high = Compared(builder_, CompareOp::less, tuples_, Known(extents_));
    return Combined(builder_, BinaryOp::logical_and, low, high);
  }

  program::Builder& builder_;
  const Dims extents_;
  const ElementType type_;
  const Dims dims_;
  const Operand tuples_;
};

}  // namespace

program::ValueId EmitFromStart(program::Builder& builder, program::ValueId indices, int64_t rows) {
  const TensorType type = builder.value(indices).type;
  const Dims dims = {ElementCount(type.dims).value_or(0)}, one = {1};
  const Operand given = {indices, dims};
  const Operand moved = {builder.Scratch({type.type, dims}), dims};
  const Operand negative = {builder.Scratch({ElementType::boolean, dims}), dims};
  const Operand y = {builder.Scratch({type.type, dims}), dims};
  EmitBinary(builder, BinaryOp::add, given, {IntegerWeights(builder, type.type, {rows}), one},
             moved.value);
  EmitCompare(builder, CompareOp::less, given, {IntegerWeights(builder, type.type, {0}), one},
              negative.value);
  EmitSelect(builder, negative, moved, given, y);
  return y.value;
}

program::ValueId EmitRowNumbers(program::Builder& builder, program::ValueId tuples,
                                const Dims& extents) {
  if (extents.size() == 1) return EmitFromStart(builder, tuples, extents[0]);
  return TupleSteps(builder, tuples, extents).RowNumbers();
}

bool CheckRowNumbers(InferScope& scope, size_t i, const Dims& extents) {
  if (extents.size() == 1 || scope.input_element(i) == ElementType::i64) return true;
  // Each coordinate out of range adds the total number of rows.
  const int64_t rows = ProductOf(extents, 0, extents.size());
  const int64_t max = std::numeric_limits<int32_t>::max() / static_cast<int64_t>(extents.size());
  if (rows <= max) return true;
  scope.Fault(
      "i32 index tuples select among {} rows; must be at most {} (convert the indices to i64)",
      rows, max);
  return false;
}

}  // namespace weft::ops
