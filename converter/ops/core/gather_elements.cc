// SPDX-License-Identifier: Apache-2.0
// GatherElements and GatherND: single elements, or rows, with one index each. Known indices become
// indices into the flattened data. Computed indices use a gather step, which yields zeros for an
// index out of range: elements along lines that are moved to the last axis, tuples as row numbers.
// A constant index out of range is an error.
#include <algorithm>

#include "converter/ops/core/row_numbers.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

// GatherElements: data and indices may differ in the extent of one axis only.

void InferGatherElements(InferScope& scope) {
  CheckIndexType(scope, 1);
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  const std::optional<int64_t> axis =
      scope.NormalAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  if (!axis) return;
  bool agree = indices.size() == data.size();
  for (size_t i = 0; agree && i < data.size(); ++i) {
    agree = i == static_cast<size_t>(*axis) || data[i] == indices[i];
  }
  if (!agree) {
    return scope.Fault("indices are {} and data {}; must have equal extents except on axis {}",
                       ToString(indices), ToString(data), *axis);
  }
  for (const int64_t index : scope.Ints(1).value_or(Dims())) {
    if (!CheckIndex(scope, index, data[static_cast<size_t>(*axis)])) return;
  }
  if (HasByteElements(scope, 0)) scope.SetOutput(0, scope.input_element(0), indices);
}

// Each line along the axis is a separate batch.
void LowerComputedElements(LowerScope& scope, size_t axis) {
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const program::ValueId x = scope.input(0), index = scope.input(1);
  const int64_t outer = ProductOf(data, 0, axis);
  const int64_t inner = ProductOf(data, axis + 1, data.size());
  const int64_t dim = data[axis], count = indices[axis];
  const GatherGeometry lines = {outer * inner, 1, dim, 1, count};
  if (inner == 1) return EmitGather(builder, lines, x, index, y);
  const Dims from = {outer, inner, dim}, to = {outer, inner, count};
  const program::ValueId permuted_x = builder.Scratch({builder.type(x), from});
  const program::ValueId permuted_index = builder.Scratch({builder.type(index), to});
  const program::ValueId permuted_y = builder.Scratch({builder.type(x), to});
  EmitPermuted(builder, x, from, false, permuted_x);
  EmitPermuted(builder, index, to, false, permuted_index);
  EmitGather(builder, lines, permuted_x, permuted_index, permuted_y);
  EmitPermuted(builder, permuted_y, to, true, y);
}

void LowerGatherElements(LowerScope& scope) {
  const size_t axis = WrappedAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  const std::optional<Dims> indices = scope.Ints(1);
  if (!indices) return LowerComputedElements(scope, axis);
  const Dims& data = scope.input_dims(0);
  const Dims& dims = scope.input_dims(1);
  const int64_t total = ProductOf(data, 0, data.size());
  const GroupedRows rows = GroupRows(ElementOffsets(data, axis, dims, *indices), dims, total);
  const auto count = static_cast<int64_t>(rows.positions.size());
  SelectPositions(scope, {1, 1, total / rows.inner, rows.inner, count}, rows.positions);
}

void GatherElementsAxes(AxisScope& scope) {
  const int64_t axis = scope.attributes.Int("axis", 0);
  const std::vector<bool> only = OnlyAxis(scope, axis);
  for (size_t i = 0; i < only.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (!only[i] && scope.Pair(0, at, 0, at)) {
      scope.relation.groups.back().push_back({false, 1, at});
    }
  }
  scope.relation.reason = "gathers time steps by index";
}

// GatherND: the last axis of the indices holds a tuple for `depth` axes of the data, which follow
// the `batch_dims` axes that both share.

struct TupleSpec {
  size_t batch_dims = 0, depth = 0;
  size_t first_kept() const { return batch_dims + depth; }
};

TupleSpec TupleSpecOf(const NodeScope& scope) {
  return {static_cast<size_t>(scope.attributes.Int("batch_dims", 0)),
          static_cast<size_t>(scope.input_dims(1).back())};
}

bool CheckTuples(InferScope& scope) {
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  if (data.empty() || indices.empty()) {
    scope.Fault("data is {} and indices are {}; must have rank 1 or more", ToString(data),
                ToString(indices));
    return false;
  }
  const int64_t batch_dims = scope.attributes.Int("batch_dims", 0);
  const int64_t max = std::min(scope.rank(0), scope.rank(1)) - 1;
  if (batch_dims < 0 || batch_dims > max) {
    scope.Fault("batch_dims is {} for data {} and indices {}; must be from 0 to {}", batch_dims,
                ToString(data), ToString(indices), max);
    return false;
  }
  if (indices.back() < 1 || indices.back() > scope.rank(0) - batch_dims) {
    scope.Fault("indices {} hold tuples of {}; must be from 1 to {} for data {}", ToString(indices),
                indices.back(), scope.rank(0) - batch_dims, ToString(data));
    return false;
  }
  for (size_t i = 0; i < static_cast<size_t>(batch_dims); ++i) {
    if (data[i] == indices[i]) continue;
    scope.Fault("batch axis {} is {} in data {} and {} in indices {}; must be equal", i, data[i],
                ToString(data), indices[i], ToString(indices));
    return false;
  }
  return true;
}

bool CheckKnownTuples(InferScope& scope, const TupleSpec& spec) {
  const Dims indices = scope.Ints(1).value_or(Dims());
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t dim = scope.input_dims(0)[spec.batch_dims + i % spec.depth];
    if (!CheckIndex(scope, indices[i], dim)) return false;
  }
  return true;
}

// Extents of the axes that a tuple indexes.
Dims ChosenExtents(const NodeScope& scope, const TupleSpec& spec) {
  const auto first =
      scope.input_dims(0).begin() + static_cast<Dims::difference_type>(spec.batch_dims);
  return Dims(first, first + static_cast<Dims::difference_type>(spec.depth));
}

// Up to opset 7 the batch axes of the output are merged into one.
template <bool merged>
void InferGatherTuples(InferScope& scope) {
  CheckIndexType(scope, 1);
  if (!CheckTuples(scope)) return;
  const TupleSpec spec = TupleSpecOf(scope);
  if (!CheckKnownTuples(scope, spec)) return;
  if (!scope.constant(1) && !CheckRowNumbers(scope, 1, ChosenExtents(scope, spec))) return;
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  const auto batch = static_cast<Dims::difference_type>(spec.batch_dims);
  Dims dims(data.begin(), data.begin() + batch);
  if (merged && batch > 1) dims = {ProductOf(data, 0, spec.batch_dims)};
  dims.insert(dims.end(), indices.begin() + batch, indices.end() - 1);
  dims.insert(dims.end(), data.begin() + static_cast<Dims::difference_type>(spec.first_kept()),
              data.end());
  if (HasByteElements(scope, 0)) scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

void LowerComputedTuples(LowerScope& scope, const TupleSpec& spec) {
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  const program::ValueId y = scope.NewOutput(0);
  const Dims extents = ChosenExtents(scope, spec);
  const int64_t batch = ProductOf(data, 0, spec.batch_dims);
  const int64_t tuples = ProductOf(indices, 0, indices.size() - 1);
  const GatherGeometry rows = {batch, 1, ProductOf(extents, 0, extents.size()),
                               ProductOf(data, spec.first_kept(), data.size()), tuples / batch};
  // The step itself counts a negative index from the end.
  const program::ValueId numbers =
      spec.depth == 1 ? scope.input(1) : EmitRowNumbers(scope.builder, scope.input(1), extents);
  EmitGather(scope.builder, rows, scope.input(0), numbers, y);
}

void LowerGatherTuples(LowerScope& scope) {
  const TupleSpec spec = TupleSpecOf(scope);
  const std::optional<Dims> indices = scope.Ints(1);
  if (!indices) return LowerComputedTuples(scope, spec);
  const Dims& data = scope.input_dims(0);
  const Dims positions = TupleRows(data, spec.batch_dims, scope.input_dims(1), *indices);
  SelectPositions(
      scope,
      {1, 1, ProductOf(data, 0, spec.first_kept()), ProductOf(data, spec.first_kept(), data.size()),
       static_cast<int64_t>(positions.size())},
      positions);
}

template <bool merged>
void GatherTuplesAxes(AxisScope& scope) {
  const TupleSpec spec = TupleSpecOf(scope);
  const auto batch = static_cast<int64_t>(spec.batch_dims);
  const auto first_kept = static_cast<int64_t>(spec.first_kept());
  const int64_t kept_batch = merged ? std::min<int64_t>(batch, 1) : batch;
  for (int64_t at = 0; at < batch && batch == kept_batch; ++at) {
    if (scope.Pair(0, at, 0, at)) scope.relation.groups.back().push_back({false, 1, at});
  }
  const int64_t tuple_axes = scope.rank(1) - 1 - batch;
  for (int64_t i = 0; i < tuple_axes; ++i) scope.Pair(1, batch + i, 0, kept_batch + i);
  for (int64_t at = first_kept; at < scope.rank(0); ++at) {
    scope.Pair(0, at, 0, kept_batch + tuple_axes + at - first_kept);
  }
  scope.relation.reason = "gathers time steps by index";
}

constexpr Traits GathersByIndex(void (*axes)(AxisScope&)) {
  return {.axes = axes, .steering = Steering::kChoice, .steered_from = 1};
}

constexpr Operation kGatherElementsRows[] = {
    {"GatherElements", 6, 2, 2, InferGatherElements, LowerGatherElements,
     GathersByIndex(GatherElementsAxes)},
    {"GatherND", 5, 2, 2, InferGatherTuples<true>, LowerGatherTuples,
     GathersByIndex(GatherTuplesAxes<true>)},
    {"GatherND", 8, 2, 2, InferGatherTuples<false>, LowerGatherTuples,
     GathersByIndex(GatherTuplesAxes<false>)},
};

}  // namespace

std::span<const Operation> GatherElementsOperations() { return kGatherElementsRows; }

}  // namespace weft::ops
