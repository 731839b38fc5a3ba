// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/extent.h"

#include <algorithm>
#include <optional>

namespace weft::graph {

namespace {

const std::optional<ir::RunTimeExtent>& ExtentOf(const ir::Source& source) {
  return source.node->outputs[source.port].run_time_extent;
}

// The input's axis in terms of the output, whose dims it is aligned to from the right.
std::optional<ir::RunTimeExtent> Aligned(const ops::InferScope& scope, size_t input) {
  std::optional<ir::RunTimeExtent> extent = ExtentOf(scope.node().inputs[input]);
  if (extent) {
    extent->axis += scope.node().outputs[0].type.dims.size() - scope.input_dims(input).size();
  }
  return extent;
}

}  // namespace

void PassExtentsOn(ops::InferScope& scope) {
  std::optional<ir::RunTimeExtent> known;
  for (size_t i = 0; i < scope.input_count(); ++i) {
    const std::optional<ir::RunTimeExtent>& extent = ExtentOf(scope.node().inputs[i]);
    if (!extent || ir::IsResult(scope.node())) continue;
    if (!scope.node().operation->traits.pointwise) {
      scope.Fault(
          "axis {} of its input {} has a run-time length; must be fixed, except for elementwise "
          "operations",
          extent->axis, i);
      return;
    }
    known = Aligned(scope, i);
  }
  if (!known) return;
  for (size_t i = 0; i < scope.input_count(); ++i) {
    const size_t behind = scope.node().outputs[0].type.dims.size() - known->axis;
    const Dims& dims = scope.input_dims(i);
    const bool broadcast = dims.size() < behind || dims[dims.size() - behind] == 1;
    if (Aligned(scope, i) == known || (broadcast && !ExtentOf(scope.node().inputs[i]))) continue;
    scope.Fault(
        "its inputs have different lengths on axis {}, and one is a run-time length; must be equal",
        known->axis);
    return;
  }
  for (ir::OutputPort& output : scope.mutable_node().outputs) output.run_time_extent = known;
}

}  // namespace weft::graph
