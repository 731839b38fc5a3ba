// SPDX-License-Identifier: Apache-2.0
// CumSum: running sums along one axis. A section adds place after place to a carried sum, so that
// the order of the sums is the document's and the cost that of one addition for each element.
#include "converter/ops/cum_sum.h"

#include "converter/ops/axes.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/families.h"
#include "converter/ops/integers.h"
#include "converter/ops/loop.h"
#include "converter/ops/movement.h"
#include "converter/ops/pointwise.h"

namespace weft::ops {
namespace {

void InferCumSum(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckNumeric(scope, kX);
  const std::optional<int64_t> axis =
      scope.has_input(1) ? ControlInt(scope, 1, "axis") : std::optional<int64_t>(0);
  if (axis) scope.NormalAxis(*axis, scope.rank(0));
  scope.attributes.Bool("exclusive", false);
  scope.attributes.Bool("reverse", false);
  scope.SetOutput(0, scope.input_type(0));
}

int64_t SummedAxis(const NodeScope& scope) {
  return scope.has_input(1) ? scope.Ints(1)->front() : 0;
}

void LowerCumSum(LowerScope& scope) {
  plan::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  if (ElementCount(type.dims) == 0) {
    scope.NewOutput(0);
    return;
  }
  const size_t axis = WrappedAxis(SummedAxis(scope), scope.rank(0));
  const int64_t outer = ProductOf(type.dims, 0, axis), dim = type.dims[axis];
  const int64_t inner = ProductOf(type.dims, axis + 1, type.dims.size());
  const bool exclusive = scope.attributes.Bool("exclusive", false);
  const bool backward = scope.attributes.Bool("reverse", false);
  const plan::ValueId x = builder.View(scope.input(0), 0, {type.type, {outer, dim, inner}});
  const plan::ValueId sums = EmitRunningSums(builder, x, exclusive, backward);
  scope.SetOutput(0, builder.View(sums, 0, scope.output_type(0)));
}

void CumSumAxes(AxisScope& scope) {
  scope.Same(0, 0, OnlyAxis(scope, SummedAxis(scope)));
  scope.relation.reason = "adds up over time";
}

constexpr Operation kCumSumRows[] = {
    {"CumSum",
     3,
     1,
     2,
     InferCumSum,
     LowerNarrow<LowerCumSum, ElementType::i16>,
     {.axes = CumSumAxes, .heavy = true}},
};

}  // namespace

std::span<const Operation> CumSumOperations() { return kCumSumRows; }

plan::ValueId EmitRunningSums(plan::Builder& builder, plan::ValueId x, bool exclusive,
                              bool backward) {
  const TensorType whole = builder.value(x).type;
  const TensorType place{whole.type, {whole.dims[0], 1, whole.dims[2]}};
  LoopSpec spec;
  spec.trips = whole.dims[1];
  spec.sliced.push_back({x, 1, 1, backward});
  spec.carried.push_back({builder.Scratch(place), 0});
  builder.Fill(spec.carried[0].initial);
  spec.scans.push_back({exclusive ? size_t{1} : size_t{0}, 1, backward, whole});
  const LoopResults results = LowerLoop(builder, spec, [&](const Iteration& iteration) {
    const plan::ValueId before = iteration.states[0], sum = builder.Scratch(place);
    EmitBinary(builder, format::BinaryOp::add, before, iteration.slices[0], sum);
    return std::vector<plan::ValueId>{sum, before};
  });
  return results.scans[0];
}

}  // namespace weft::ops
