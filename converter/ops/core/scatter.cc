// SPDX-License-Identifier: Apache-2.0
// Replaces some elements of the data by updates, or combines them. Known indices are resolved at
// conversion: copies of runs, or one gather of the updates and a select. An index that the run
// computes is compared with the numbers of all rows. If it is out of range, the update is dropped;
// at conversion such an index is an error. Indices may repeat: updates of a row apply in order, so
// that the last one wins and a sum is one chain that starts with the data.
#include <algorithm>
#include <utility>

#include "converter/ir/stated.h"
#include "converter/ops/core/row_numbers.h"
#include "converter/ops/core/slicing.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"
#include "converter/ops/support/scatter_rows.h"

namespace weft::ops {
namespace {

constexpr size_t kScattered[] = {0};

// Input 1 must hold integers.
void CheckScatterIndices(InferScope& scope) {
  constexpr ElementType kWhole[] = {ElementType::i32, ElementType::i64, ElementType::i16,
                                    ElementType::i8, ElementType::u8};
  const ElementType type = scope.input_element(1);
  if (std::ranges::find(kWhole, type) != std::end(kWhole)) return;
  scope.Fault("input 1 (indices) is {}; must be i32, i64, i16, i8 or u8", Name(type));
}

// The indices in a type that the steps support.
program::ValueId ScatterIndices(LowerScope& scope) {
  const bool is_wide = scope.input_element(1) == ElementType::i64;
  return Converted(scope.builder, scope.input(1), is_wide ? ElementType::i64 : ElementType::i32);
}

// Input i (updates) must have the data's type and these dims.
void CheckScatterUpdates(InferScope& scope, size_t i, const Dims& dims) {
  const TensorType wanted{scope.input_element(0), dims};
  if (scope.input_type(i) == wanted) return;
  scope.Fault("input {} (updates) is {}; must be {}", i, ToString(scope.input_type(i)),
              ToString(wanted));
}

// The output has the type of the data.
void SetScattered(InferScope& scope) {
  if (!scope.failed()) scope.SetOutput(0, scope.input_type(0));
}

// ScatterUpdate: rows of one axis.

std::optional<int64_t> ScatterAxis(InferScope& scope) {
  const std::optional<int64_t> axis = ControlInt(scope, 3, "axis");
  return axis ? scope.NormalAxis(*axis, scope.rank(0)) : std::nullopt;
}

size_t ScatterAxisOf(const NodeScope& scope) {
  return WrappedAxis(scope.Ints(3)->front(), scope.rank(0));
}

void InferScatterUpdate(InferScope& scope) {
  CheckScatterIndices(scope);
  const std::optional<int64_t> axis = ScatterAxis(scope);
  if (!axis || !HasByteElements(scope, 0)) return;
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  Dims dims(data.begin(), data.begin() + *axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), data.begin() + *axis + 1, data.end());
  CheckScatterUpdates(scope, 2, dims);
  const int64_t dim = data[static_cast<size_t>(*axis)];
  for (const int64_t index : scope.Ints(1).value_or(Dims())) {
    if (index >= 0 && index < dim) continue;
    return scope.Fault("index {} of an axis of {}; must be from 0 to {}", index, dim, dim - 1);
  }
  SetScattered(scope);
}

void LowerScatterUpdate(LowerScope& scope) {
  const size_t axis = ScatterAxisOf(scope);
  const Dims& data = scope.input_dims(0);
  const int64_t outer = ProductOf(data, 0, axis);
  const int64_t inner = ProductOf(data, axis + 1, data.size());
  if (const std::optional<Dims> indices = scope.Ints(1)) {
    return ReplaceRows(scope, {outer, data[axis], inner, *indices}, scope.input(2));
  }
  const ComputedRows rows = {.outer = outer,
                             .rows = data[axis],
                             .inner = inner,
                             .targets = ElementCount(scope.input_dims(1)).value_or(0)};
  WriteComputedRows(scope, rows, ScatterIndices(scope), scope.input(2));
}

void ScatterUpdateAxes(AxisScope& scope) {
  const auto axis = static_cast<int64_t>(ScatterAxisOf(scope));
  for (int64_t at = 0; at < scope.rank(0); ++at) {
    if (at == axis || !scope.Pair(0, at, 0, at)) continue;
    const int64_t in_updates = at < axis ? at : at + scope.rank(1) - 1;
    scope.relation.groups.back().push_back({false, 2, in_updates});
  }
  scope.relation.reason = "writes time steps by index";
}

// Names of the reductions in the versions that support them.

struct ReductionName {
  std::string_view name;
  Combination combination;
};
constexpr ReductionName kReductions[] = {
    {"none", Combination::kReplace}, {"sum", Combination::kSum},
    {"sub", Combination::kSubtract}, {"prod", Combination::kProduct},
    {"min", Combination::kMinimum},  {"max", Combination::kMaximum},
    {"mean", Combination::kMean},
};
constexpr std::string_view kElementReductions[] = {"none", "sum", "prod", "min", "max", "mean"};
constexpr std::string_view kTupleReductions[] = {"none", "sum", "sub", "prod", "min", "max"};

Combination CombinationOf(const NodeScope& scope) {
  const bool by_element = scope.node().operation->name == "ScatterElementsUpdate";
  const std::span<const std::string_view> allowed =
      by_element ? std::span<const std::string_view>(kElementReductions) : kTupleReductions;
  const std::string name = scope.attributes.Choice("reduction", "none", allowed);
  return std::ranges::find(kReductions, name, &ReductionName::name)->combination;
}

void CheckCombinedType(InferScope& scope, Combination combination) {
  if (combination == Combination::kReplace) {
    HasByteElements(scope, 0);
  } else if (combination == Combination::kMean) {
    CheckElements(scope, kScattered, {ElementType::f32});
  } else if (combination == Combination::kSubtract) {
    CheckElements(
        scope, kScattered,
        {ElementType::f32, ElementType::i32, ElementType::i64, ElementType::i8, ElementType::u8});
  } else {
    CheckElements(scope, kScattered,
                  {ElementType::f32, ElementType::i32, ElementType::i64, ElementType::i8,
                   ElementType::u8, ElementType::boolean});
  }
}

// Reports an error if too many known updates combine into one row.
void CheckScatterTargets(InferScope& scope, const Dims& targets) {
  if (CombinationOf(scope) == Combination::kReplace) return;
  const size_t max = MaxCombined(targets);
  if (max <= kMaxCombined) return;
  scope.Fault(
      "{} updates are combined into one element; must be at most {}, because each needs a step "
      "(ReduceSum and similar operations have no limit)",
      max, kMaxCombined);
}

bool StartsFromData(const NodeScope& scope) { return scope.attributes.Bool("use_init_val", true); }

void LowerScattered(LowerScope& scope, const ScatteredRows& rows) {
  const Combination combination = CombinationOf(scope);
  const program::ValueId updates = scope.input(2);
  if (combination == Combination::kReplace) return ReplaceRows(scope, rows, updates);
  CombineRows(scope, rows, combination, StartsFromData(scope), updates);
}

// ScatterElementsUpdate: one index per element, for its position along one axis.

bool CheckElementDims(InferScope& scope, int64_t axis) {
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  bool fits = indices.size() == data.size();
  for (size_t i = 0; fits && i < data.size(); ++i) {
    fits = i == static_cast<size_t>(axis) || indices[i] <= data[i];
  }
  if (!fits) {
    scope.Fault("indices are {} and data {}; no extent may exceed that of data except on axis {}",
                ToString(indices), ToString(data), axis);
  }
  return fits;
}

Dims ElementTargets(const NodeScope& scope, size_t axis) {
  return ElementOffsets(scope.input_dims(0), axis, scope.input_dims(1), *scope.Ints(1));
}

void InferScatterElements(InferScope& scope) {
  CheckScatterIndices(scope);
  CheckScatterUpdates(scope, 2, scope.input_dims(1));
  const std::optional<int64_t> axis = ScatterAxis(scope);
  if (!axis || !CheckElementDims(scope, *axis)) return;
  CheckCombinedType(scope, CombinationOf(scope));
  const std::optional<Dims> known = scope.Ints(1);
  for (const int64_t index : known.value_or(Dims())) {
    if (!CheckIndex(scope, index, scope.input_dims(0)[static_cast<size_t>(*axis)])) return;
  }
  if (known) CheckScatterTargets(scope, ElementTargets(scope, static_cast<size_t>(*axis)));
  SetScattered(scope);
}

// Writes the part of the data that the indices cover: along `axis` the full extent, along other
// axes the first positions, as many as there are indices.
void LowerComputedScatter(LowerScope& scope, size_t axis) {
  const Dims& data = scope.input_dims(0);
  Dims part = scope.input_dims(1);
  const int64_t targets = std::exchange(part[axis], data[axis]);
  if (targets == 0 || ElementCount(part) == 0) return scope.Forward(0, 0);
  program::Builder& builder = scope.builder;
  const ComputedRows rows = {.outer = ProductOf(part, 0, axis),
                             .rows = part[axis],
                             .inner = ProductOf(part, axis + 1, part.size()),
                             .targets = targets,
                             .by_element = true,
                             .combination = CombinationOf(scope)};
  const program::ValueId numbers = EmitFromStart(builder, ScatterIndices(scope), rows.rows);
  if (part == data) {
    return WriteComputedRows(scope, rows, numbers, scope.input(2), StartsFromData(scope));
  }
  const program::ValueId x = scope.input(0), taken = builder.Scratch({builder.type(x), part});
  const Dims strides = program::DenseStrides(data), part_strides = program::DenseStrides(part);
  builder.CopyStrided(x, taken, part, strides, 0, part_strides, 0);
  const program::ValueId written =
      EmitCombinedRows(builder, rows, numbers, scope.input(2), taken, StartsFromData(scope));
  const program::ValueId y = scope.NewOutput(0);
  builder.Copy(x, y);
  builder.CopyStrided(written, y, part, part_strides, 0, strides, 0);
}

void LowerScatterElements(LowerScope& scope) {
  const Dims& data = scope.input_dims(0);
  const size_t axis = ScatterAxisOf(scope);
  if (!scope.constant(1)) return LowerComputedScatter(scope, axis);
  const int64_t total = ProductOf(data, 0, data.size());
  GroupedRows rows = GroupRows(ElementTargets(scope, axis), scope.input_dims(1), total);
  LowerScattered(scope, {1, total / rows.inner, rows.inner, std::move(rows.positions)});
}

void ScatterElementsAxes(AxisScope& scope) {
  const auto axis = static_cast<int64_t>(ScatterAxisOf(scope));
  for (int64_t at = 0; at < scope.rank(0); ++at) {
    const bool whole = AxisScope::At(scope.in(0), at) == AxisScope::At(scope.in(1), at);
    if (at == axis || !whole || !scope.Pair(0, at, 0, at)) continue;
    scope.relation.groups.back().push_back({false, 1, at});
    scope.relation.groups.back().push_back({false, 2, at});
  }
  scope.relation.reason = "writes time steps by index";
}

// ScatterNDUpdate: rows selected by tuples of coordinates along the first axes.

// Updates that are written as a block must fit in the data.
bool IsFittingBlock(InferScope& scope) {
  if (!scope.node().attributes.contains(ir::kStatedBlock)) return true;
  const Dims &data = scope.input_dims(0), &block = scope.input_dims(2);
  bool fits = block.size() == data.size();
  for (size_t i = 0; fits && i < data.size(); ++i) fits = block[i] <= data[i];
  if (!fits) {
    scope.Fault("update has shape {}; must fit in {}", ToString(block), ToString(data));
  }
  return fits;
}

void InferScatterTuples(InferScope& scope) {
  if (!IsFittingBlock(scope)) return;
  CheckIndexType(scope, 1);
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  if (indices.empty() || indices.back() < 1 || indices.back() > scope.rank(0)) {
    return scope.Fault("indices are {}; must hold tuples of 1 to {} along their last axis",
                       ToString(indices), scope.rank(0));
  }
  const auto depth = static_cast<size_t>(indices.back());
  Dims dims(indices.begin(), indices.end() - 1);
  dims.insert(dims.end(), data.begin() + indices.back(), data.end());
  // OpenVINO also accepts a single element as a list.
  if (dims.empty() && scope.input_dims(2) == Dims{1}) dims = {1};
  CheckScatterUpdates(scope, 2, dims);
  CheckCombinedType(scope, CombinationOf(scope));
  const Dims known = scope.Ints(1).value_or(Dims());
  for (size_t i = 0; i < known.size(); ++i) {
    if (!CheckIndex(scope, known[i], data[i % depth])) return;
  }
  if (scope.constant(1)) {
    CheckScatterTargets(scope, TupleRows(data, 0, indices, known));
  } else {
    CheckRowNumbers(scope, 1, Dims(data.begin(), data.begin() + indices.back()));
  }
  SetScattered(scope);
}

void LowerScatterTuples(LowerScope& scope) {
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  const auto depth = static_cast<size_t>(indices.back());
  if (!scope.constant(1)) {
    const Dims extents(data.begin(), data.begin() + indices.back());
    const ComputedRows rows = {.rows = ProductOf(data, 0, depth),
                               .inner = ProductOf(data, depth, data.size()),
                               .targets = ProductOf(indices, 0, indices.size() - 1),
                               .combination = CombinationOf(scope)};
    const program::ValueId numbers = EmitRowNumbers(scope.builder, scope.input(1), extents);
    return WriteComputedRows(scope, rows, numbers, scope.input(2));
  }
  LowerScattered(scope, {1, ProductOf(data, 0, depth), ProductOf(data, depth, data.size()),
                         TupleRows(data, 0, indices, *scope.Ints(1))});
}

void ScatterTuplesAxes(AxisScope& scope) {
  const int64_t depth = scope.in(1).back();
  for (int64_t at = depth; at < scope.rank(0); ++at) {
    if (!scope.Pair(0, at, 0, at)) continue;
    scope.relation.groups.back().push_back({false, 2, at - depth + scope.rank(1) - 1});
  }
  scope.relation.reason = "writes time steps by index";
}

// SliceScatter: writes the elements that Slice would read.

void InferSliceScatter(InferScope& scope) {
  const std::optional<Cut> cut = CutOf(scope);
  if (!cut || !HasByteElements(scope, 0)) return;
  CheckScatterUpdates(scope, 1, cut->kept);
  SetScattered(scope);
}

void LowerSliceScatter(LowerScope& scope) {
  const Cut cut = CutOf(scope).value();
  const Movement movement = Reversed(MovementOf(cut.runs, scope.input_dims(0), cut.kept));
  WriteInto(scope, movement, ProductOf(cut.kept, 0, cut.kept.size()), scope.input(1));
}

void SliceScatterAxes(AxisScope& scope) {
  const std::optional<Cut> cut = CutOf(scope);
  scope.relation.reason = "writes a slice of the time axis";
  if (!cut) return;
  for (size_t axis = 0; axis < cut->kept.size(); ++axis) {
    const Run& run = cut->runs[axis][0];
    const auto at = static_cast<int64_t>(axis);
    const bool whole = run.count == scope.in(0)[axis] && (run.step == 1 || run.count == 1);
    if (!whole || !scope.Pair(0, at, 0, at)) continue;
    scope.relation.groups.back().push_back({false, 1, at});
  }
}

constexpr Traits WritesBy(void (*axes)(AxisScope&), Steering steering, size_t from = 1) {
  return {.axes = axes, .steering = steering, .steered_from = from};
}

constexpr Traits kByRow = WritesBy(ScatterUpdateAxes, Steering::kChoice);
constexpr Traits kByElement = WritesBy(ScatterElementsAxes, Steering::kChoice);
constexpr Traits kByTuple = WritesBy(ScatterTuplesAxes, Steering::kChoice);

constexpr Operation kScatterRows[] = {
    {"ScatterUpdate", 3, 4, 4, InferScatterUpdate, LowerScatterUpdate, kByRow},
    {"ScatterElementsUpdate", 3, 4, 4, InferScatterElements, LowerScatterElements, kByElement},
    {"ScatterElementsUpdate", 12, 4, 4, InferScatterElements, LowerScatterElements, kByElement},
    {"ScatterNDUpdate", 3, 3, 3, InferScatterTuples, LowerScatterTuples, kByTuple},
    {"ScatterNDUpdate", 15, 3, 3, InferScatterTuples, LowerScatterTuples, kByTuple},
    {"SliceScatter", 15, 5, 6, InferSliceScatter, LowerSliceScatter,
     WritesBy(SliceScatterAxes, Steering::kShape, 2)},
};

}  // namespace

std::span<const Operation> ScatterOperations() { return kScatterRows; }

}  // namespace weft::ops
