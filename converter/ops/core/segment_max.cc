// SPDX-License-Identifier: Apache-2.0
// SegmentMax: the maximum over the rows of each segment. Segments known at conversion become one
// step per run of segments of equal size. Computed segments become a loop over rows.
#include <bit>
#include <limits>

#include "converter/ops/core/bags.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

constexpr size_t kSegmentIds = 1, kSegments = 2;

bool CheckSegmentIds(InferScope& scope) {
  CheckIndexType(scope, kSegmentIds, "segment_ids");
  if (scope.rank(0) == 0) {
    scope.Fault("data is {}; must have rank 1 or more", ToString(scope.input_type(0)));
    return false;
  }
  const Dims dims = {scope.input_dims(0)[0]};
  if (scope.input_dims(kSegmentIds) != dims) {
    scope.Fault("input 1 (segment_ids) is {}; must be {}, one for each row of data",
                ToString(scope.input_type(kSegmentIds)), ToString(dims));
  }
  int64_t min = 0;
  for (const int64_t id : scope.Ints(kSegmentIds).value_or(Dims())) {
    if (id < min) {
      scope.Fault("segment id {} after {}; must ascend from 0", id, min);
      return false;
    }
    min = id;
  }
  return !scope.failed();
}

// Input 2, or the last id plus one if it is absent.
std::optional<int64_t> SegmentCount(InferScope& scope) {
  if (scope.has_input(kSegments)) {
    const std::optional<int64_t> count = ControlInt(scope, kSegments, "num_segments");
    if (!count || *count >= 0) return count;
    scope.Fault("num_segments is {}; must not be negative", *count);
    return std::nullopt;
  }
  const std::optional<Dims> ids = scope.Ints(kSegmentIds);
  if (ids) return ids->empty() ? 0 : ids->back() + 1;
  scope.FaultComputed(kSegmentIds, "segment_ids", " where input 2 (num_segments) is absent");
  return std::nullopt;
}

bool FillsLowest(const NodeScope& scope) {
  constexpr std::string_view kFillModes[] = {"zero", "lowest"};
  return scope.attributes.Choice("fill_mode", "zero", kFillModes) == "lowest";
}

// The bits of the lowest finite number.
uint64_t LowestBits(ElementType type) {
  return type == ElementType::f32 ? std::bit_cast<uint32_t>(std::numeric_limits<float>::lowest())
                                  : NeutralBits(format::ReduceOp::max, type);
}

void InferSegmentMax(InferScope& scope) {
  constexpr size_t kSegmented[] = {0};
  CheckElements(scope, kSegmented, {ElementType::f32, ElementType::i32, ElementType::i64});
  FillsLowest(scope);
  scope.RequireAttributes({"fill_mode"});
  if (!CheckSegmentIds(scope)) return;
  const std::optional<int64_t> count = SegmentCount(scope);
  if (!count || scope.failed()) return;
  Dims dims = scope.input_dims(0);
  dims[0] = *count;
  scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

void LowerSegmentMax(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const TensorType out = scope.output_type(0);
  const std::optional<Dims> ids = scope.Ints(kSegmentIds);
  const Dims data = scope.input_dims(0);
  const BagRows rows = {data[0], ProductOf(data, 1, data.size()), scope.input(0), program::kNone};
  const EmptyBag empty = {program::kNone, FillsLowest(scope) ? LowestBits(out.type) : 0};
  if (!ids) {
    const program::ValueId made = EmitComputedBags(builder, format::ReduceOp::max, rows,
                                                   scope.input(kSegmentIds), out.dims[0], empty);
    return scope.SetOutput(0, builder.View(made, 0, out));
  }
  Dims sizes(static_cast<size_t>(out.dims[0]), 0);
  for (const int64_t id : *ids) {
    if (id < out.dims[0]) ++sizes[static_cast<size_t>(id)];  // rows of other segments are dropped
  }
  EmitKnownBags(builder, format::ReduceOp::max, rows, sizes, empty, scope.NewOutput(0));
}

void SegmentMaxAxes(AxisScope& scope) {
  for (int64_t axis = 1; axis < scope.rank(0); ++axis) scope.Pair(0, axis, 0, axis);
  scope.relation.reason = "takes the maximum over time";
}

constexpr Traits kBySegment = {
    .axes = SegmentMaxAxes, .steering = Steering::kChoice, .steered_from = 1};

constexpr Operation kSegmentMaxRows[] = {
    {"SegmentMax", 16, 2, 3, InferSegmentMax, LowerSegmentMax, kBySegment},
};

}  // namespace

std::span<const Operation> SegmentMaxOperations() { return kSegmentMaxRows; }

}  // namespace weft::ops
