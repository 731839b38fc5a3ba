// SPDX-License-Identifier: Apache-2.0
// CumSum: running sums along one axis. A section adds each position to a carried sum, in the
// accumulation order of the specification, at one addition per element. If the axis is computed at
// run time, the sums along every axis are computed. The requested axis is selected, or
// axis 0 if it is invalid.
#include "converter/ops/core/cum_sum.h"

#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/loop.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

bool KnowsSummedAxis(const NodeScope& scope) {
  return !scope.has_input(1) || scope.constant(1) != nullptr;
}

void CheckSummedAxis(InferScope& scope) {
  if (KnowsSummedAxis(scope)) {
    const std::optional<int64_t> axis =
        scope.has_input(1) ? ControlInt(scope, 1, "axis") : std::optional<int64_t>(0);
    if (axis) scope.NormalAxis(*axis, scope.rank(0));
    return;
  }
  const TensorType& type = scope.input_type(1);
  const bool is_number = type.type == ElementType::i32 || type.type == ElementType::i64;
  if (!is_number || ElementCount(type.dims) != 1) {
    scope.Fault("input 1 (axis) is {}; must be one i32 or i64", ToString(type));
  } else if (scope.rank(0) == 0) {
    scope.Fault("input 0 is {}; must have an axis", ToString(scope.input_type(0)));
  }
}

void InferCumSum(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckNumeric(scope, kX);
  CheckSummedAxis(scope);
  scope.attributes.Bool("exclusive", false);
  scope.attributes.Bool("reverse", false);
  scope.SetOutput(0, scope.input_type(0));
}

int64_t SummedAxis(const NodeScope& scope) {
  return scope.has_input(1) ? scope.Ints(1)->front() : 0;
}

program::ValueId SumsAlong(LowerScope& scope, size_t axis) {
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  const int64_t outer = ProductOf(type.dims, 0, axis), dim = type.dims[axis];
  const int64_t inner = ProductOf(type.dims, axis + 1, type.dims.size());
  const bool exclusive = scope.attributes.Bool("exclusive", false);
  const bool backward = scope.attributes.Bool("reverse", false);
  const program::ValueId x = builder.View(scope.input(0), 0, {type.type, {outer, dim, inner}});
  return builder.View(EmitRunningSums(builder, x, exclusive, backward), 0, type);
}

// Returns a boolean value: true if input 1 is `axis`, counted from either end.
program::ValueId IsSummedAxis(LowerScope& scope, int64_t axis) {
  program::Builder& builder = scope.builder;
  const ElementType type = scope.input_element(1);
  const program::ValueId ends = IntegerWeights(builder, type, {axis, axis - scope.rank(0)});
  const program::ValueId holds = builder.Scratch({ElementType::boolean, {2}});
  EmitCompare(builder, format::CompareOp::equal, {scope.input(1), {1}}, {ends, {2}}, holds);
  const program::ValueId either = builder.Scratch({ElementType::boolean, {1}});
  constexpr ReduceAxis kEnds[] = {{2, 1, true}};
  EmitReduce(builder, format::ReduceOp::logical_or, kEnds, holds, either);
  return either;
}

void LowerCumSum(LowerScope& scope) {
  const TensorType& type = scope.output_type(0);
  if (KnowsSummedAxis(scope)) {
    return scope.SetOutput(0, SumsAlong(scope, WrappedAxis(SummedAxis(scope), scope.rank(0))));
  }
  const Dims ones(type.dims.size(), 1);
  program::ValueId sums = SumsAlong(scope, 0);
  for (size_t axis = 1; axis < type.dims.size(); ++axis) {
    const program::ValueId others = SumsAlong(scope, axis), chosen = scope.builder.Scratch(type);
    EmitSelect(scope.builder, {IsSummedAxis(scope, static_cast<int64_t>(axis)), ones},
               {others, type.dims}, {sums, type.dims}, {chosen, type.dims});
    sums = chosen;
  }
  scope.SetOutput(0, sums);
}

void CumSumAxes(AxisScope& scope) {
  if (!KnowsSummedAxis(scope)) {
    scope.relation.reason = "sums over an axis that is computed at run time";
    return;
  }
  const size_t axis = WrappedAxis(SummedAxis(scope), scope.rank(0));
  const bool backward = scope.attributes.Bool("reverse", false);
  scope.relation.reason = "sums over time from the end";
  scope.Same(0, 0, OnlyAxis(scope, SummedAxis(scope)));
  if (backward) return;
  scope.relation.sum = {static_cast<int64_t>(axis), scope.attributes.Bool("exclusive", false)};
}

constexpr Traits kSums = {.axes = CumSumAxes, .heavy = true};

constexpr Operation kCumSumRows[] = {
    {"CumSum", 3, 1, 2, InferCumSum, LowerNarrow<LowerCumSum, ElementType::i16>, kSums},
};

}  // namespace

std::span<const Operation> CumSumOperations() { return kCumSumRows; }

program::ValueId EmitRunningSums(program::Builder& builder, program::ValueId x, bool exclusive,
                                 bool backward) {
  const TensorType whole = builder.value(x).type;
  const TensorType position{whole.type, {whole.dims[0], 1, whole.dims[2]}};
  LoopSpec spec;
  spec.trips = whole.dims[1];
  spec.sliced.push_back({x, 1, 1, backward});
  spec.carried.push_back({builder.Scratch(position), 0});
  builder.Fill(spec.carried[0].initial);
  spec.scans.push_back({exclusive ? size_t{1} : size_t{0}, 1, backward, whole});
  const LoopResults results = LowerLoop(builder, spec, [&](const Iteration& iteration) {
    const program::ValueId before = iteration.states[0], sum = builder.Scratch(position);
    EmitBinary(builder, format::BinaryOp::add, before, iteration.slices[0], sum);
    return std::vector<program::ValueId>{sum, before};
  });
  return results.scans[0];
}

}  // namespace weft::ops
