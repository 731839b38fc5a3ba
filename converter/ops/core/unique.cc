// SPDX-License-Identifier: Apache-2.0
// Unique: the distinct elements, or slices along one axis, with the index of their first
// occurrence, the inverse mapping and the counts. All are sorted stably; a group begins wherever an
// element differs from the one before it, and the number of groups is a run-time length. Slices are
// sorted by their last element first with a stable sort (radix order). Each NaN is a separate
// group, after all numbers.
#include "converter/base/narrow.h"
#include "converter/ops/core/cum_sum.h"
#include "converter/ops/core/nonzero.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/core/top.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/lengths.h"
#include "converter/ops/support/loop.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::CompareOp;
using program::ValueId;

enum UniqueOutput : size_t { kUniqueValues, kFirstPositions, kInverse, kHowOften };

// The input as [outer, count, inner], with `count` slices to compare.
struct UniqueSpec {
  size_t axis = 0;  // of output 0
  int64_t outer = 1, count = 0, inner = 1;
  int64_t columns() const { return outer * inner; }
};

UniqueSpec UniqueSpecOf(const NodeScope& scope) {
  const Dims& dims = scope.input_dims(0);
  const std::optional<Dims> axes = scope.has_input(1) ? scope.Ints(1) : std::nullopt;
  if (!axes) return {0, 1, ElementCount(dims).value_or(0), 1};
  const size_t axis = WrappedAxis(axes->at(0), scope.rank(0));
  return {axis, ProductOf(dims, 0, axis), dims[axis], ProductOf(dims, axis + 1, dims.size())};
}

bool CheckUniqueAxis(InferScope& scope) {
  if (!scope.has_input(1)) return true;
  const std::optional<int64_t> axis = ControlInt(scope, 1, "axis");
  return axis && scope.NormalAxis(*axis, scope.rank(0));
}

void InferUnique(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckElements(
      scope, kX,
      {ElementType::f32, ElementType::i32, ElementType::i64, ElementType::i8, ElementType::u8});
  const ElementType index_type = IndexTypeOf(scope, "index_element_type");
  const ElementType count_type = IndexTypeOf(scope, "count_element_type");
  scope.attributes.Bool("sorted", true);
  if (!CheckUniqueAxis(scope)) return;
  const UniqueSpec spec = UniqueSpecOf(scope);
  if (spec.count > 0 && spec.columns() == 0) {
    return scope.Fault("slices of {} along axis {} have no elements; must not be empty",
                       ToString(scope.input_type(0)), spec.axis);
  }
  Dims dims = scope.input_dims(0);
  if (!scope.has_input(1)) dims = {spec.count};
  const TensorType types[] = {{scope.input_element(0), dims},
                              {index_type, {spec.count}},
                              {index_type, {spec.count}},
                              {count_type, {spec.count}}};
  const size_t outputs = std::min(scope.output_count(), std::size(types));
  for (size_t i = 0; i < outputs; ++i) {
    scope.SetOutput(i, types[i]);
    if (i == kInverse || spec.count == 0) continue;
    scope.mutable_node().outputs[i].run_time_extent = {i == kUniqueValues ? spec.axis : 0,
                                                       &scope.node(), 1};
  }
  if (scope.constant(0) != nullptr) scope.IgnoreDeclared();  // it declares what folding finds
}

// Computes groups of equal slices. Values have the dims [count] unless stated otherwise.
class Grouping {
 public:
  explicit Grouping(LowerScope& scope)
      : scope_(scope),
        builder_(scope.builder),
        spec_(UniqueSpecOf(scope)),
        type_(scope.input_element(0)) {}

  void Run() {
    Sort();
    const ValueId begins = Begins();
    starts_ = Scratch(ElementType::i32, {spec_.count});
    found_ = Scratch(ElementType::i32, {});
    EmitNonZeroIndices(builder_, 1, {spec_.count}, spec_.count, begins, starts_, found_);
    scope_.SetLength(found_);
    if (!scope_.attributes.Bool("sorted", true)) OrderByFirst();
    if (Wants(kUniqueValues)) SetValues();
    if (Wants(kFirstPositions)) Set(kFirstPositions, Taken(order_, Chosen(starts_)));
    if (Wants(kInverse)) Set(kInverse, Inverse(begins));
    if (Wants(kHowOften)) Set(kHowOften, Chosen(Sizes()));
  }

 private:
  ValueId Scratch(ElementType type, const Dims& dims) { return builder_.Scratch({type, dims}); }

  bool Wants(size_t output) const {
    return output < scope_.node().outputs.size() && scope_.IsUsed(output);
  }

  void Set(size_t output, ValueId value) {
    scope_.SetOutput(output, Converted(builder_, value, scope_.output_type(output).type));
  }

  // x [rows, count] at indices of its last axis.
  ValueId Taken(ValueId x, ValueId positions) {
    const int64_t rows = ElementCount(builder_.dims(x)).value_or(0) / spec_.count;
    const Dims dims = builder_.dims(x);
    const ValueId y = Scratch(builder_.type(x), dims);
    EmitGather(builder_, {1, rows, spec_.count, 1, spec_.count}, x, positions, y);
    return y;
  }

  // Reorders a value per group to the order of the outputs.
  ValueId Chosen(ValueId of_groups) {
    return chosen_ == program::kNone ? of_groups : Taken(of_groups, chosen_);
  }

  // Sets sorted_, the sorted slices as columns [columns, count], and order_, their original
  // indices.
  void Sort() {
    const int64_t columns = spec_.columns();
    const Dims dims = {columns, spec_.count};
    order_ = Scratch(ElementType::i32, {spec_.count});
    if (columns == 1) {
      sorted_ = Scratch(type_, dims);
      return EmitTop(builder_, {1, spec_.count, 1, spec_.count, true, false},
                     builder_.View(scope_.input(0), 0, {type_, dims}), sorted_, order_);
    }
    ValueId permuted = scope_.input(0);
    if (spec_.inner != 1) {
      permuted = Scratch(type_, dims);
      EmitPermuted(builder_, scope_.input(0), {spec_.outer, spec_.inner, spec_.count}, false,
                   permuted);
    }
    permuted = builder_.View(permuted, 0, {type_, dims});
    order_ = SortedBy(permuted);
    sorted_ = Taken(permuted, order_);
  }

  // Indices that sort the slices, from the last column to the first.
  ValueId SortedBy(ValueId columns) {
    const TensorType positions = {ElementType::i32, {spec_.count}};
    LoopSpec loop;
    loop.trips = spec_.columns();
    loop.sliced.push_back({columns, 0, 1, true});
    loop.carried.push_back({IndexSequence(builder_, ElementType::i32, spec_.count), 0});
    loop.lasts.push_back({0, positions});
    const LoopResults results = LowerLoop(builder_, loop, [&](const Iteration& iteration) {
      const ValueId order = iteration.states[0];
      const ValueId by_column = EmitArgSort(builder_, Taken(iteration.slices[0], order));
      return std::vector<ValueId>{Taken(order, by_column)};
    });
    return results.lasts[0];
  }

  // True at each position of sorted_ where a group begins; the first position begins one.
  ValueId Begins() {
    const int64_t columns = spec_.columns();
    const Dims dims = {columns, spec_.count};
    const ValueId before = Scratch(type_, dims), differs = Scratch(ElementType::boolean, dims);
    const Dims strides = {spec_.count, 1};
    builder_.CopyStrided(sorted_, before, {columns, 1}, strides, 0, strides, 0);
    builder_.CopyStrided(sorted_, before, {columns, spec_.count - 1}, strides, 0, strides, 1);
    EmitCompare(builder_, CompareOp::not_equal, {sorted_, dims}, {before, dims}, differs);
    ValueId any = builder_.View(differs, 0, {ElementType::boolean, {spec_.count}});
    const ReduceAxis axes[] = {{columns, spec_.count, true}, {spec_.count, 1, false}};
    const std::vector<ReduceAxis> collapsed = CollapsedAxes(axes);
    if (columns != 1) {
      any = Scratch(ElementType::boolean, {spec_.count});
      EmitReduce(builder_, format::ReduceOp::logical_or, collapsed, differs, any);
    }
    std::vector<uint8_t> is_first(static_cast<size_t>(spec_.count));
    is_first[0] = 1;
    const ValueId begins = Scratch(ElementType::boolean, {spec_.count});
    EmitBinary(builder_, BinaryOp::logical_or, any,
               builder_.WeightsOf({ElementType::boolean, {spec_.count}}, is_first), begins);
    return begins;
  }

  // Values of the groups found; `count` after them.
  ValueId Filled(ValueId of_groups) {
    const ValueId filler = IntegerWeights(builder_, ElementType::i32, {spec_.count});
    return EmitFilled(builder_, of_groups, {spec_.count}, 0, found_, filler);
  }

  void OrderByFirst() { chosen_ = EmitArgSort(builder_, Filled(Taken(order_, starts_))); }

  // Distance from the start of each group to that of the next.
  ValueId Sizes() {
    const ValueId starts = Filled(starts_);
    const ValueId next = Scratch(ElementType::i32, {spec_.count});
    const ValueId sizes = Scratch(ElementType::i32, {spec_.count});
    builder_.CopyStrided(starts, next, {spec_.count - 1}, {1}, 1, {1}, 0);
    builder_.CopyStrided(IntegerWeights(builder_, ElementType::i32, {spec_.count}), next, {1}, {1},
                         0, {1}, spec_.count - 1);
    EmitBinary(builder_, BinaryOp::subtract, next, starts, sizes);
    return sizes;
  }

  // The group of each slice: the number of groups that begin up to its position, minus one.
  ValueId Inverse(ValueId begins) {
    const ValueId ones = Converted(builder_, begins, ElementType::i32);
    const ValueId sums = EmitRunningSums(
        builder_, builder_.View(ones, 0, {ElementType::i32, {1, spec_.count, 1}}), false, false);
    const ValueId groups = Scratch(ElementType::i32, {spec_.count});
    EmitBinary(builder_, BinaryOp::subtract,
               builder_.View(sums, 0, {ElementType::i32, {spec_.count}}),
               IntegerWeights(builder_, ElementType::i32, {1}), groups);
    const ValueId inverse = Taken(groups, EmitArgSort(builder_, order_));
    if (chosen_ == program::kNone) return inverse;
    return Taken(EmitArgSort(builder_, chosen_), inverse);
  }

  void SetValues() {
    const ValueId columns = Taken(sorted_, Chosen(starts_));
    const TensorType& type = scope_.output_type(kUniqueValues);
    if (spec_.inner == 1) {
      return scope_.SetOutput(kUniqueValues, builder_.View(columns, 0, type));
    }
    const ValueId values = scope_.NewOutput(kUniqueValues);
    EmitPermuted(builder_, columns, {spec_.outer, spec_.inner, spec_.count}, true, values);
  }

  LowerScope& scope_;
  program::Builder& builder_;
  const UniqueSpec spec_;
  const ElementType type_;
  ValueId sorted_ = program::kNone, order_ = program::kNone;
  ValueId starts_ = program::kNone, found_ = program::kNone;  // groups in the order of their slices
  ValueId chosen_ = program::kNone;  // permutation of the groups, if they are in another order
};

void LowerUnique(LowerScope& scope) {
  if (UniqueSpecOf(scope).count > 0) return Grouping(scope).Run();
  for (size_t i = 0; i < scope.node().outputs.size(); ++i) scope.NewOutput(i);
}

void UniqueAxes(AxisScope& scope) { scope.relation.reason = "compares time steps with each other"; }

constexpr Traits kUnique = {
    .axes = UniqueAxes, .steering = Steering::kShape, .steered_from = 1, .heavy = true};

constexpr Operation kUniqueRows[] = {
    {"Unique", 10, 1, 2, InferUnique, LowerUnique, kUnique},
};

}  // namespace

std::span<const Operation> UniqueOperations() { return kUniqueRows; }

}  // namespace weft::ops
