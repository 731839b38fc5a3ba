// SPDX-License-Identifier: Apache-2.0
// Bags of table rows: the rows at the given indices are gathered, and the rows of each bag are
// summed or averaged. Bags of equal size (Packed) and bags known at conversion emit one step per
// run of bags of equal size. Bags computed at run time are a loop over the rows. A computed index
// out of range selects zeros; a constant one is an error.
#include <algorithm>
#include <numeric>

#include "converter/ops/core/bags.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::ReduceOp;

constexpr size_t kBagTable = 0, kBagIndices = 1, kBagGrouping = 2, kBagCount = 3;

// How rows are assigned to bags; this determines the input indices that follow.
enum class BagGrouping { kPacked, kOffsets, kSegments };

constexpr size_t DefaultRowInput(BagGrouping grouping) {
  return grouping == BagGrouping::kOffsets ? 3 : 4;
}
constexpr size_t BagWeightInput(BagGrouping grouping) {
  return grouping == BagGrouping::kPacked ? 2 : DefaultRowInput(grouping) + 1;
}

ReduceOp BagReduction(const NodeScope& scope) {
  constexpr std::string_view kBagReductions[] = {"sum", "mean"};
  const bool means = scope.attributes.Choice("reduction", "sum", kBagReductions) == "mean";
  return means ? ReduceOp::mean : ReduceOp::sum;
}

// Checks that input i is i32 or i64 with shape `dims`.
void CheckBagNumbers(InferScope& scope, size_t i, std::string_view what, const Dims& dims) {
  CheckIndexType(scope, i, what);
  if (scope.input_dims(i) == dims) return;
  scope.Fault("input {} ({}) is {}; must be {}", i, what, ToString(scope.input_type(i)),
              ToString(dims));
}

void CheckBagTable(InferScope& scope, BagGrouping grouping) {
  const size_t weights = BagWeightInput(grouping);
  std::vector<size_t> operands = {kBagTable};
  if (scope.has_input(weights)) operands.push_back(weights);
  if (BagReduction(scope) == ReduceOp::mean) {
    CheckElements(scope, operands, {ElementType::f32});
    if (scope.has_input(weights)) {
      scope.Fault("reduction is mean and input {} (per_sample_weights) is given; must be a sum",
                  weights);
    }
  } else {
    CheckElements(scope, operands, {ElementType::f32, ElementType::i32, ElementType::i64});
  }
  if (scope.rank(kBagTable) < 2) {
    scope.Fault("table is {}; must have rank 2 or more", ToString(scope.input_type(kBagTable)));
  }
  if (scope.has_input(weights) && scope.input_dims(weights) != scope.input_dims(kBagIndices)) {
    scope.Fault("input {} (per_sample_weights) is {} and indices are {}; must have equal shapes",
                weights, ToString(scope.input_type(weights)),
                ToString(scope.input_type(kBagIndices)));
  }
}

void CheckBagIndices(InferScope& scope, int64_t rank) {
  CheckIndexType(scope, kBagIndices);
  if (scope.rank(kBagIndices) != rank) {
    scope.Fault("indices are {}; must have rank {}", ToString(scope.input_type(kBagIndices)), rank);
  }
  const int64_t rows = scope.rank(kBagTable) == 0 ? 0 : scope.input_dims(kBagTable)[0];
  for (const int64_t index : scope.Ints(kBagIndices).value_or(Dims())) {
    if (index >= 0 && index < rows) continue;
    return scope.Fault("index {} of a table of {} rows; must be from 0 to {}", index, rows,
                       rows - 1);
  }
}

void CheckDefaultRow(InferScope& scope, size_t input) {
  if (!scope.has_input(input)) return;
  const std::optional<int64_t> row = ControlInt(scope, input, "default_index");
  const int64_t rows = scope.rank(kBagTable) == 0 ? 0 : scope.input_dims(kBagTable)[0];
  if (!row || (*row >= -1 && *row < rows)) return;
  scope.Fault("default_index is {} and the table has {} rows; must be from -1 to {}", *row, rows,
              rows - 1);
}

void SetBags(InferScope& scope, int64_t bags) {
  if (scope.failed()) return;
  Dims dims = scope.input_dims(kBagTable);
  dims[0] = bags;
  scope.SetOutput(0, scope.input_element(kBagTable), std::move(dims));
}

void InferPackedBags(InferScope& scope) {
  CheckBagTable(scope, BagGrouping::kPacked);
  CheckBagIndices(scope, 2);
  if (scope.failed()) return;
  const Dims& indices = scope.input_dims(kBagIndices);
  if (indices[1] == 0) {
    return scope.Fault("indices are {}; must have elements in every bag",
                       ToString(scope.input_type(kBagIndices)));
  }
  SetBags(scope, indices[0]);
}

void InferOffsetBags(InferScope& scope) {
  CheckBagTable(scope, BagGrouping::kOffsets);
  CheckBagIndices(scope, 1);
  CheckDefaultRow(scope, DefaultRowInput(BagGrouping::kOffsets));
  if (scope.rank(kBagGrouping) != 1) {
    return scope.Fault("offsets are {}; must have rank 1",
                       ToString(scope.input_type(kBagGrouping)));
  }
  CheckBagNumbers(scope, kBagGrouping, "offsets", scope.input_dims(kBagGrouping));
  if (scope.failed()) return;
  const int64_t count = scope.input_dims(kBagIndices)[0];
  int64_t min = 0;
  for (const int64_t offset : scope.Ints(kBagGrouping).value_or(Dims())) {
    if (offset < min || offset > count) {
      return scope.Fault("offset {} follows {} for {} indices; must ascend from 0 to {}", offset,
                         min, count, count);
    }
    min = offset;
  }
  SetBags(scope, scope.input_dims(kBagGrouping)[0]);
}

void InferSegments(InferScope& scope) {
  CheckBagTable(scope, BagGrouping::kSegments);
  CheckBagIndices(scope, 1);
  CheckDefaultRow(scope, DefaultRowInput(BagGrouping::kSegments));
  CheckBagNumbers(scope, kBagGrouping, "segment_ids", scope.input_dims(kBagIndices));
  const std::optional<int64_t> bags = ControlInt(scope, kBagCount, "num_segments");
  if (!bags) return;
  if (*bags < 0) return scope.Fault("num_segments is {}; must not be negative", *bags);
  for (const int64_t id : scope.Ints(kBagGrouping).value_or(Dims())) {
    if (id >= 0 && id < *bags) continue;
    return scope.Fault("segment id {} of {} segments; must be from 0 to {}", id, *bags, *bags - 1);
  }
  SetBags(scope, *bags);
}

// Lowers one node.
class BagLowering {
 public:
  BagLowering(LowerScope& scope, BagGrouping grouping)
      : scope_(scope),
        builder_(scope.builder),
        grouping_(grouping),
        table_(scope.input_dims(kBagTable)),
        inner_(ProductOf(table_, 1, table_.size())),
        count_(ElementCount(scope.input_dims(kBagIndices)).value_or(0)),
        bags_(scope.output_type(0).dims[0]) {}

  void Run() {
    const ReduceOp op = BagReduction(scope_);
    if (const std::optional<Dims> sizes = KnownSizes()) {
      const BagRows rows = RowsIn(order_);
      const EmptyBag empty = Empty();
      return EmitKnownBags(builder_, op, rows, *sizes, empty, scope_.NewOutput(0));
    }
    const BagRows rows = RowsIn(order_);
    const program::ValueId numbers = Numbers();
    const program::ValueId made = EmitComputedBags(builder_, op, rows, numbers, bags_, Empty());
    scope_.SetOutput(0, builder_.View(made, 0, scope_.output_type(0)));
  }

 private:
  // Returns the sizes of the bags and sets order_ to the rows, bag by bag. nullopt if the bags are
  // computed.
  std::optional<Dims> KnownSizes() {
    order_.resize(static_cast<size_t>(count_));
    std::iota(order_.begin(), order_.end(), 0);
    if (grouping_ == BagGrouping::kPacked) {
      return Dims(static_cast<size_t>(bags_), count_ / bags_);
    }
    const std::optional<Dims> numbers = scope_.Ints(kBagGrouping);
    if (!numbers) return std::nullopt;
    Dims sizes(static_cast<size_t>(bags_), 0);
    if (grouping_ == BagGrouping::kSegments) {
      std::ranges::stable_sort(order_, {}, [&](int64_t row) { return At(*numbers, row); });
      for (const int64_t id : *numbers) ++sizes[static_cast<size_t>(id)];
      return sizes;
    }
    order_.erase(order_.begin(), order_.begin() + numbers->front());
    for (int64_t bag = 0; bag < bags_; ++bag) {
      const int64_t end = bag + 1 < bags_ ? At(*numbers, bag + 1) : count_;
      sizes[static_cast<size_t>(bag)] = end - At(*numbers, bag);
    }
    return sizes;
  }

  static int64_t At(const Dims& numbers, int64_t i) { return numbers[static_cast<size_t>(i)]; }

  // The table rows, and their weights, at the indices in `order`.
  BagRows RowsIn(const Dims& order) {
    const auto count = static_cast<int64_t>(order.size());
    BagRows rows = {count, inner_, program::kNone, program::kNone};
    if (count == 0) return rows;
    const GatherGeometry geometry = {1, 1, table_[0], inner_, count};
    if (const std::optional<Dims> indices = scope_.Ints(kBagIndices)) {
      Dims positions;
      for (const int64_t i : order) positions.push_back(At(*indices, i));
      rows.values = PositionsOf(builder_, scope_.input(kBagTable), geometry, positions);
    } else {
      const program::ValueId numbers = InOrder(kBagIndices, order);
      rows.values = builder_.Scratch({builder_.type(scope_.input(kBagTable)), {count, inner_}});
      EmitGather(builder_, geometry, scope_.input(kBagTable), numbers, rows.values);
    }
    const size_t weights = BagWeightInput(grouping_);
    if (scope_.has_input(weights)) rows.weights = InOrder(weights, order);
    return rows;
  }

  program::ValueId InOrder(size_t input, const Dims& order) {
    const auto count = static_cast<int64_t>(order.size());
    return PositionsOf(builder_, scope_.input(input), {1, 1, count_, 1, count}, order);
  }

  EmptyBag Empty() {
    const size_t input = DefaultRowInput(grouping_);
    if (grouping_ == BagGrouping::kPacked || !scope_.has_input(input)) return {};
    const int64_t row = scope_.Ints(input)->front();
    if (row < 0) return {};
    return {PositionsOf(builder_, scope_.input(kBagTable), {1, 1, table_[0], inner_, 1}, {row})};
  }

  // The bag of each row. With offsets: the number of offsets that are at most the row, minus one.
  program::ValueId Numbers() {
    const program::ValueId given = scope_.input(kBagGrouping);
    if (grouping_ == BagGrouping::kSegments || count_ == 0) return given;
    const ElementType type = builder_.type(given);
    const Dims dims = {count_, bags_};
    const program::ValueId begun = builder_.Scratch({ElementType::boolean, dims});
    EmitCompare(builder_, format::CompareOp::less_equal, {given, {1, bags_}},
                {IndexSequence(builder_, type, count_), {count_, 1}}, begun);
    const program::ValueId numbers = builder_.Scratch({type, {count_}});
    EmitBinary(builder_, format::BinaryOp::subtract, {EmitCount(builder_, begun, type), {count_}},
               {IntegerWeights(builder_, type, {1}), {1}}, numbers);
    return numbers;
  }

  LowerScope& scope_;
  program::Builder& builder_;
  const BagGrouping grouping_;
  const Dims table_;
  const int64_t inner_, count_, bags_;
  Dims order_;
};

template <BagGrouping grouping>
void LowerBags(LowerScope& scope) {
  BagLowering(scope, grouping).Run();
}

// Packed bags are independent along axis 0 of the indices. Axes of the table do not continue: the
// accumulation order may depend on the row length.
void PackedBagAxes(AxisScope& scope) {
  if (scope.Pair(kBagIndices, 0, 0, 0) && scope.has_input(BagWeightInput(BagGrouping::kPacked))) {
    scope.relation.groups.back().push_back({false, BagWeightInput(BagGrouping::kPacked), 0});
  }
  scope.relation.reason = "has the time axis in its table or in its bags";
}

void BagAxes(AxisScope& scope) {
  scope.relation.reason = "has the time axis in its table or in its bags";
}

constexpr Traits TakesBags(void (*axes)(AxisScope&)) {
  return {.axes = axes, .steering = Steering::kChoice, .steered_from = 1};
}
constexpr Traits kPackedBags = TakesBags(PackedBagAxes), kBags = TakesBags(BagAxes);

constexpr Operation kBagRows[] = {
    {"EmbeddingBagPackedSum", 3, 2, 3, InferPackedBags, LowerBags<BagGrouping::kPacked>,
     kPackedBags},
    {"EmbeddingBagPacked", 15, 2, 3, InferPackedBags, LowerBags<BagGrouping::kPacked>, kPackedBags},
    {"EmbeddingBagOffsetsSum", 3, 3, 5, InferOffsetBags, LowerBags<BagGrouping::kOffsets>, kBags},
    {"EmbeddingBagOffsets", 15, 3, 5, InferOffsetBags, LowerBags<BagGrouping::kOffsets>, kBags},
    {"EmbeddingSegmentsSum", 3, 4, 6, InferSegments, LowerBags<BagGrouping::kSegments>, kBags},
};

}  // namespace

std::span<const Operation> EmbeddingBagOperations() { return kBagRows; }

}  // namespace weft::ops
