// SPDX-License-Identifier: Apache-2.0
// Gather: positions of one axis by index. Known indices that form a few runs are views or copies;
// others use the gather step, which yields zeros for an index out of range. A constant index out of
// range is an error. Versions 1 and 7 do not define negative indices; version 8 counts them from
// the end. The step counts them from the end for all versions.
#include <algorithm>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

// The first batch_dims axes are shared by data and indices.
struct GatherSpec {
  size_t axis = 0;
  size_t batch_dims = 0;
};

std::optional<GatherSpec> ReadGatherSpec(NodeScope& scope) {
  const std::optional<int64_t> axis = ControlInt(scope, 2, "axis");
  const auto normal = axis ? scope.NormalAxis(*axis, scope.rank(0)) : std::nullopt;
  if (!normal) return std::nullopt;
  GatherSpec spec;
  spec.axis = static_cast<size_t>(*normal);
  const int64_t given = scope.attributes.Int("batch_dims", 0);
  const int64_t batch_dims = given < 0 ? given + scope.rank(1) : given;
  const int64_t max = std::min(static_cast<int64_t>(spec.axis), scope.rank(1));
  if (batch_dims < 0 || batch_dims > max) {
    scope.Fault("batch_dims is {} for axis {} and indices of rank {}; must be from 0 to {}", given,
                spec.axis, scope.rank(1), max);
    return std::nullopt;
  }
  spec.batch_dims = static_cast<size_t>(batch_dims);
  for (size_t i = 0; i < spec.batch_dims; ++i) {
    if (scope.input_dims(0)[i] == scope.input_dims(1)[i]) continue;
    scope.Fault("batch axis {} is {} in data {} and {} in indices {}; must be equal", i,
                scope.input_dims(0)[i], ToString(scope.input_dims(0)), scope.input_dims(1)[i],
                ToString(scope.input_dims(1)));
    return std::nullopt;
  }
  return spec;
}

void CheckKnownIndices(InferScope& scope, int64_t dim, bool from_end) {
  const std::optional<Dims> indices = scope.Ints(1);
  if (!indices) return;
  const int64_t low = from_end ? -dim : 0;
  for (const int64_t index : *indices) {
    if (index >= low && index < dim) continue;
    scope.Fault("index {} of an axis of {}; must be from {} to {}{}", index, dim, low, dim - 1,
                from_end || index >= 0 ? "" : " (Gather-8 counts negatives from the end)");
    return;
  }
}

void InferGather(InferScope& scope, bool from_end) {
  const ElementType index_type = scope.input_element(1);
  if (IsFloat(index_type) || index_type == ElementType::boolean) {
    return scope.Fault("input 1 (indices) is {}; must be of an integer type", Name(index_type));
  }
  const std::optional<GatherSpec> spec = ReadGatherSpec(scope);
  if (!spec) return;
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  CheckKnownIndices(scope, data[spec->axis], from_end);
  const auto axis = static_cast<Dims::difference_type>(spec->axis);
  Dims dims(data.begin(), data.begin() + axis);
  dims.insert(dims.end(), indices.begin() + static_cast<Dims::difference_type>(spec->batch_dims),
              indices.end());
  dims.insert(dims.end(), data.begin() + axis + 1, data.end());
  if (!scope.failed()) scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

void InferWithin(InferScope& scope) { InferGather(scope, /*from_end=*/false); }
void InferFromEnd(InferScope& scope) { InferGather(scope, /*from_end=*/true); }

GatherGeometry GatherGeometryOf(const LowerScope& scope, const GatherSpec& spec) {
  const Dims& data = scope.input_dims(0);
  const Dims& indices = scope.input_dims(1);
  return {ProductOf(data, 0, spec.batch_dims), ProductOf(data, spec.batch_dims, spec.axis),
          data[spec.axis], ProductOf(data, spec.axis + 1, data.size()),
          ProductOf(indices, spec.batch_dims, indices.size())};
}

// The indices in a type that the step reads: i32 or i64.
program::ValueId ReadableIndices(LowerScope& scope) {
  if (scope.input_element(1) == ElementType::i64) return scope.input(1);
  return Converted(scope.builder, scope.input(1), ElementType::i32);
}

void LowerRunTime(LowerScope& scope, const GatherSpec& spec) {
  if (!HasByteElements(scope, 0)) return;
  const program::ValueId target = scope.NewOutput(0);
  const program::ValueId indices = ReadableIndices(scope);
  EmitGather(scope.builder, GatherGeometryOf(scope, spec), scope.input(0), indices, target);
}

void LowerKnown(LowerScope& scope, const GatherSpec& spec, Dims indices) {
  const int64_t dim = scope.input_dims(0)[spec.axis];
  for (int64_t& index : indices) index += index < 0 ? dim : 0;
  SelectPositions(scope, GatherGeometryOf(scope, spec), indices);
}

void LowerGather(LowerScope& scope) {
  const GatherSpec spec = ReadGatherSpec(scope).value();
  const std::optional<Dims> indices = scope.Ints(1);
  return indices ? LowerKnown(scope, spec, *indices) : LowerRunTime(scope, spec);
}

void GatherAxes(AxisScope& scope) {
  const auto axis =
      static_cast<int64_t>(WrappedAxis(scope.Ints(2).value_or(Dims{0}).at(0), scope.rank(0)));
  int64_t shared = scope.attributes.Int("batch_dims", 0);
  if (shared < 0) shared += scope.rank(1);
  const int64_t gained = scope.rank(1) - shared;
  for (int64_t at = 0; at < scope.rank(0); ++at) {
    if (at == axis) continue;
    const bool paired = scope.Pair(0, at, 0, at < axis ? at : at + gained - 1);
    if (paired && at < shared) scope.relation.groups.back().push_back({false, 1, at});
  }
  for (int64_t at = shared; at < scope.rank(1); ++at) scope.Pair(1, at, 0, axis + at - shared);
  scope.relation.selects = true;
  scope.relation.reason = "gathers time steps by index";
  const std::optional<Dims> indices = scope.Ints(1);
  if (!indices || indices->size() != 1) return;
  const int64_t dim = AxisScope::At(scope.in(0), axis);
  const int64_t index = (*indices)[0] < 0 ? (*indices)[0] + dim : (*indices)[0];
  scope.relation.selections.push_back({axis, index, index + 1});
  scope.relation.runs = WholeAxes(scope.in(0));
}

// Permutes a Gather that selects one or several positions of an axis.
void GatherPermutation(PermuteScope& scope) {
  constexpr size_t kIndices = 1, kAxis = 2;
  const size_t rank = scope.dims(In(0)).size();
  const std::optional<Dims> axis = scope.Ints(kAxis);
  const bool is_plain = HasChannelAxis(rank) && axis && axis->size() == 1 &&
                        scope.rank(kIndices) < 2 && scope.attributes.Int("batch_dims", 0) == 0;
  if (!is_plain) return;
  std::vector<bool> kept(rank, true);
  kept[WrappedAxis(axis->front(), static_cast<int64_t>(rank))] = scope.rank(kIndices) == 1;
  scope.MoveAxes(kAxis, rank);
  TieKept(scope, kept);
}

constexpr Traits kGather = {.picks = true,
                            .axes = GatherAxes,
                            .permutation = GatherPermutation,
                            .steering = Steering::kChoice,
                            .steered_from = 1};

constexpr Operation kGatherRows[] = {
    {"Gather", 1, 3, 3, InferWithin, LowerGather, kGather},
    {"Gather", 7, 3, 3, InferWithin, LowerGather, kGather},
    {"Gather", 8, 3, 3, InferFromEnd, LowerGather, kGather},
};

}  // namespace

std::span<const Operation> GatherOperations() { return kGatherRows; }

}  // namespace weft::ops
