// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/axes.h"

#include <algorithm>
#include <utility>

#include "converter/ops/support/broadcast.h"

namespace weft::ops {

bool AxisScope::Pair(size_t i, int64_t from, size_t j, int64_t to) {
  if (At(in(i), from) != At(out(j), to)) return false;
  relation.groups.push_back({{false, i, from}, {true, j, to}});
  return true;
}

void AxisScope::Same(size_t i, size_t j, const std::vector<bool>& but) {
  for (size_t axis = 0; axis < in(i).size(); ++axis) {
    const auto at = static_cast<int64_t>(axis);
    if (axis >= but.size() || !but[axis]) Pair(i, at, j, at);
  }
}

void AxisScope::GroupFromEnd(int64_t from_end, int64_t to, std::span<const size_t> inputs) {
  AxisGroup group = {{true, 0, to}};
  for (const size_t i : inputs) {
    const int64_t axis = rank(i) - from_end;
    if (axis >= 0 && At(in(i), axis) == At(out(0), to)) group.push_back({false, i, axis});
  }
  relation.groups.push_back(std::move(group));
}

AxisRelation RelationOf(const ir::Graph& graph, ir::Node& node) {
  Faults discarded;  // inference has accepted the node
  AxisScope scope(graph, node, discarded);
  const Traits& traits = node.operation->traits;
  if (traits.axes != nullptr) {
    traits.axes(scope);
  } else if (traits.pointwise) {
    PointwiseAxes(scope);
  }
  return std::move(scope.relation);
}

void PointwiseAxes(AxisScope& scope) {
  const Dims& out = scope.out(0);
  for (size_t axis = 0; axis < out.size(); ++axis) {
    AxisGroup group = {{true, 0, static_cast<int64_t>(axis)}};
    for (size_t i = 0; i < scope.input_count(); ++i) {
      const Dims& dims = scope.in(i);
      if (dims.size() > out.size()) continue;
      Dims aligned = AlignedDims(scope, i, out);
      // The output axis of the operand's first axis: the only difference between broadcast rules.
      size_t first = out.size() - dims.size();
      while (first > 0 && !std::equal(dims.begin(), dims.end(), aligned.begin() + first)) --first;
      if (axis < first || axis - first >= dims.size() || dims[axis - first] != out[axis]) continue;
      group.push_back({false, i, static_cast<int64_t>(axis - first)});
    }
    scope.relation.groups.push_back(std::move(group));
  }
  scope.relation.reason = "broadcasts across the time axis";
}

void SameAxes(AxisScope& scope) { scope.Same(0, 0); }

void ReshapedAxes(AxisScope& scope) {
  scope.relation.reshapes = true;
  scope.relation.reason = "merges or splits the time axis";
}

std::vector<bool> NamedAxes(const NodeScope& scope, size_t input) {
  const int64_t rank = scope.rank(0);
  std::vector<bool> named(static_cast<size_t>(rank), false);
  for (const int64_t axis : scope.Ints(input).value_or(Dims())) {
    named[WrappedAxis(axis, rank)] = true;
  }
  return named;
}

std::vector<bool> OnlyAxis(const NodeScope& scope, int64_t axis) {
  std::vector<bool> only(static_cast<size_t>(scope.rank(0)), false);
  only[WrappedAxis(axis, scope.rank(0))] = true;
  return only;
}

}  // namespace weft::ops
