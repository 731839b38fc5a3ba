// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/bags.h"

#include "converter/ops/core/matmul.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"
#include "converter/ops/support/scatter_rows.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::ReduceOp;

// Rows [first, first + count) of a value with rows of `inner` elements.
program::ValueId BagRowsAt(program::Builder& builder, program::ValueId rows, int64_t first,
                           int64_t count, int64_t inner) {
  const ElementType type = builder.type(rows);
  return builder.View(rows, first * inner * ElementBytes(type), {type, {count, inner}});
}

void EmitEmptyBags(program::Builder& builder, const EmptyBag& empty, int64_t bags, int64_t inner,
                   program::ValueId y) {
  if (empty.row == program::kNone) return builder.Fill(y, empty.bits);
  builder.CopyStrided(empty.row, y, {bags, inner}, {0, 1}, 0, {inner, 1}, 0);
}

// y[b, :] = op over k of rows[b, k, :], for `bags` bags of `size` rows each.
void EmitEqualBags(program::Builder& builder, ReduceOp op, const BagRows& rows, int64_t bags,
                   int64_t size, program::ValueId y) {
  const int64_t inner = rows.inner;
  if (rows.weights != program::kNone) {
    const Matrix weights = MatrixOver({bags, 1, size}), table = MatrixOver({bags, size, inner});
    return EmitProduct(builder, ProductOfBatches({bags}, weights, table), rows.weights, rows.values,
                       y);
  }
  if (size == 1) return builder.Copy(rows.values, y);
  const ReduceAxis axes[] = {{bags, size * inner, false}, {size, inner, true}, {inner, 1, false}};
  EmitReduce(builder, op, CollapsedAxes(axes), rows.values, y);
}

// Reduces rows to bags that are known at run time only.
class ComputedBags {
 public:
  ComputedBags(program::Builder& builder, const BagRows& rows, program::ValueId numbers,
               int64_t bags)
      : builder_(builder),
        rows_(rows),
        numbers_(numbers),
        type_(builder.type(rows.values)),
        all_{type_, {bags, rows.inner}},
        position_numbers_(IndexSequence(builder, builder.type(numbers), bags)) {}

  program::ValueId Combine(Combination combination, uint64_t start_bits) {
    const program::ValueId start = builder_.Scratch(all_);
    builder_.Fill(start, start_bits);
    const ComputedRows rows = {.rows = all_.dims[0],
                               .inner = rows_.inner,
                               .targets = rows_.rows,
                               .combination = combination};
    return builder_.View(EmitComputedRows(builder_, rows, numbers_, WeightedRows(), start), 0,
                         all_);
  }

  // The number of rows per bag, at least 1: [bags] of floats.
  program::ValueId Divisors() {
    const Dims bags = {all_.dims[0]};
    const program::ValueId divisors = builder_.Scratch({ElementType::f32, bags});
    EmitBinary(builder_, BinaryOp::maximum, {EmitCount(builder_, Mask(), ElementType::f32), bags},
               {builder_.WeightsOf<float>({ElementType::f32, {1}}, {1}), {1}}, divisors);
    return divisors;
  }

  // The rows of `y`, with `empty` for the bags without rows.
  program::ValueId WithEmpty(program::ValueId y, program::ValueId empty, const Dims& empty_dims) {
    const program::ValueId holds = Holds();
    const program::ValueId chosen = builder_.Scratch(all_);
    EmitSelect(builder_, {holds, {all_.dims[0], 1}}, {y, all_.dims}, {empty, empty_dims},
               {chosen, all_.dims});
    return chosen;
  }

 private:
  // mask[b, i]: true if row i is in bag b.
  program::ValueId Mask() {
    const program::ValueId mask =
        builder_.Scratch({ElementType::boolean, {all_.dims[0], rows_.rows}});
    EmitCompare(builder_, format::CompareOp::equal, {position_numbers_, {all_.dims[0], 1}},
                {numbers_, {1, rows_.rows}}, mask);
    return mask;
  }

  // holds[b]: true if bag b has a row.
  program::ValueId Holds() {
    const program::ValueId mask = Mask();
    const TensorType bags = {ElementType::boolean, {all_.dims[0]}};
    if (rows_.rows == 1) return builder_.View(mask, 0, bags);
    const program::ValueId holds = builder_.Scratch(bags);
    const ReduceAxis axes[] = {{all_.dims[0], rows_.rows, false}, {rows_.rows, 1, true}};
    EmitReduce(builder_, ReduceOp::logical_or, CollapsedAxes(axes), mask, holds);
    return holds;
  }

  program::ValueId WeightedRows() {
    if (rows_.weights == program::kNone) return rows_.values;
    const Dims dims = {rows_.rows, rows_.inner};
    const program::ValueId weighted = builder_.Scratch({type_, dims});
    EmitBinary(builder_, BinaryOp::multiply, {rows_.values, dims}, {rows_.weights, {rows_.rows, 1}},
               weighted);
    return weighted;
  }

  program::Builder& builder_;
  const BagRows rows_;
  const program::ValueId numbers_;
  const ElementType type_;
  const TensorType all_;
  const program::ValueId position_numbers_;
};

}  // namespace

void EmitKnownBags(program::Builder& builder, ReduceOp op, const BagRows& rows, const Dims& sizes,
                   const EmptyBag& empty, program::ValueId y) {
  int64_t row = 0;
  const auto bags = static_cast<int64_t>(sizes.size());
  const auto at = [&](int64_t bag) { return sizes[static_cast<size_t>(bag)]; };
  for (int64_t first = 0, last = 0; first < bags; first = last) {
    while (last < bags && at(last) == at(first)) ++last;
    const int64_t count = last - first, size = at(first);
    const program::ValueId part = BagRowsAt(builder, y, first, count, rows.inner);
    if (size == 0) {
      EmitEmptyBags(builder, empty, count, rows.inner, part);
      continue;
    }
    BagRows taken = {count * size, rows.inner,
                     BagRowsAt(builder, rows.values, row, count * size, rows.inner), rows.weights};
    if (rows.weights != program::kNone) {
      taken.weights = BagRowsAt(builder, rows.weights, row, count * size, 1);
    }
    EmitEqualBags(builder, op, taken, count, size, part);
    row += count * size;
  }
}

program::ValueId EmitComputedBags(program::Builder& builder, ReduceOp op, const BagRows& rows,
                                  program::ValueId numbers, int64_t bags, const EmptyBag& empty) {
  const TensorType all{builder.type(rows.values), {bags, rows.inner}};
  if (rows.rows == 0) {
    const program::ValueId y = builder.Scratch(all);
    EmitEmptyBags(builder, empty, bags, rows.inner, y);
    return y;
  }
  ComputedBags computed(builder, rows, numbers, bags);
  const bool is_maximum = op == ReduceOp::max;
  // A maximum of floats starts at minus infinity, which rows may contain.
  const uint64_t min = NeutralBits(ReduceOp::max, all.type);
  program::ValueId y = computed.Combine(is_maximum ? Combination::kMaximum : Combination::kSum,
                                        is_maximum ? min : 0);
  if (op == ReduceOp::mean) {
    const program::ValueId means = builder.Scratch(all);
    EmitBinary(builder, BinaryOp::divide, {y, all.dims}, {computed.Divisors(), {bags, 1}}, means);
    y = means;
  }
  if (empty.row != program::kNone) return computed.WithEmpty(y, empty.row, {1, rows.inner});
  const uint64_t made = is_maximum ? min : 0;
  if (empty.bits == made) return y;
  const program::ValueId filler = builder.Scratch({all.type, {1}});
  builder.Fill(filler, empty.bits);
  return computed.WithEmpty(y, filler, {1, 1});
}

}  // namespace weft::ops
