// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/extent.h"

#include <algorithm>
#include <optional>

#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {

namespace {

// Returns the input's run-time axis as an axis of the output, to which the dims are aligned from
// the right.
std::optional<ir::RunTimeExtent> Aligned(const ops::InferScope& scope, size_t input) {
  std::optional<ir::RunTimeExtent> extent = ir::ExtentOf(scope.node().inputs[input]);
  if (extent) {
    extent->axis += scope.node().outputs[0].type.dims.size() - scope.input_dims(input).size();
  }
  return extent;
}

void PassThroughElements(ops::InferScope& scope) {
  std::optional<ir::RunTimeExtent> known;
  for (size_t i = 0; i < scope.input_count(); ++i) {
    if (ir::ExtentOf(scope.node().inputs[i])) known = Aligned(scope, i);
  }
  for (size_t i = 0; i < scope.input_count(); ++i) {
    const size_t after = scope.node().outputs[0].type.dims.size() - known->axis;
    const Dims& dims = scope.input_dims(i);
    const bool broadcast = dims.size() < after || dims[dims.size() - after] == 1;
    if (Aligned(scope, i) == known || (broadcast && !ir::ExtentOf(scope.node().inputs[i])))
      continue;
    scope.Fault(
        "its inputs have different lengths on axis {}, and one is a run-time length; must be equal",
        known->axis);
    return;
  }
  for (ir::OutputPort& output : scope.mutable_node().outputs) output.run_time_extent = known;
}

// Propagates run-time lengths through an operation that is not pointwise, according to its axis
// rule.
class AxisPassing {
 public:
  explicit AxisPassing(ops::InferScope& scope)
      : scope_(scope), relation_(ops::RelationOf(scope.graph(), scope.mutable_node())) {}

  void Run() {
    for (size_t i = 0; i < scope_.input_count() && !scope_.failed(); ++i) {
      if (const auto extent = ir::ExtentOf(scope_.node().inputs[i])) Pass(i, *extent);
    }
  }

 private:
  void Pass(size_t input, const ir::RunTimeExtent& extent) {
    const ops::Traits& traits = scope_.node().operation->traits;
    if (relation_.reshapes && input == 0) return Reshape(extent);
    const ops::AxisGroup* group = GroupOf(input, extent);
    if (group != nullptr && traits.foldable && !relation_.stretches) return Join(*group, extent);
    if (traits.respects_length && input == 0) return;
    scope_.Fault(
        "axis {} of its input {} has a run-time length; must be fixed, unless the operation "
        "processes each element of the axis independently",
        extent.axis, input);
  }

  // Returns the group of the axis if it contains an axis of an output.
  const ops::AxisGroup* GroupOf(size_t input, const ir::RunTimeExtent& extent) const {
    const ops::PortAxis at = {false, input, static_cast<int64_t>(extent.axis)};
    for (const ops::AxisGroup& group : relation_.groups) {
      const bool reaches = std::ranges::any_of(group, &ops::PortAxis::output);
      if (reaches && std::ranges::find(group, at) != group.end()) return &group;
    }
    return nullptr;
  }

  void Join(const ops::AxisGroup& group, const ir::RunTimeExtent& extent) {
    for (const ops::PortAxis& at : group) {
      ir::RunTimeExtent same = extent;
      same.axis = static_cast<size_t>(at.axis);
      if (at.output) {
        Set(at.port, same);
      } else if (ir::ExtentOf(scope_.node().inputs[at.port]) != same) {
        return scope_.Fault(
            "axis {} of its input {} has a run-time length that input {} does not share; must be "
            "the same for all of its inputs",
            extent.axis, InputOf(group, extent), at.port);
      }
    }
  }

  size_t InputOf(const ops::AxisGroup& group, const ir::RunTimeExtent& extent) const {
    const auto found = std::ranges::find_if(group, [&](const ops::PortAxis& at) {
      return !at.output && ir::ExtentOf(scope_.node().inputs[at.port]) == extent;
    });
    return found->port;
  }

  void Set(size_t output, const ir::RunTimeExtent& extent) {
    if (output >= scope_.output_count()) return;
    std::optional<ir::RunTimeExtent>& known = scope_.mutable_node().outputs[output].run_time_extent;
    if (known && *known != extent) {
      scope_.Fault(
          "axes {} and {} of its output {} would have run-time lengths; must be one at most",
          std::min(known->axis, extent.axis), std::max(known->axis, extent.axis), output);
    }
    known = extent;
  }

  // Axes after it may be merged into it, or be split off.
  void Reshape(const ir::RunTimeExtent& extent) {
    const Dims& in = scope_.input_dims(0);
    const Dims& out = scope_.node().outputs[0].type.dims;
    const int64_t to = relation_.followed[extent.axis];
    const auto first = static_cast<size_t>(std::max<int64_t>(to, 0));
    const int64_t inner = ops::ProductOf(in, extent.axis + 1, in.size());
    const int64_t rest = to < 0 ? 0 : ops::ProductOf(out, first + 1, out.size());
    const bool leads =
        to >= 0 && ops::ProductOf(in, 0, extent.axis) == ops::ProductOf(out, 0, first);
    if (!leads || rest == 0 || extent.part * inner % rest != 0) {
      return scope_.Fault(
          "axis {} of its input 0 has a run-time length; must be kept by -1 in the target shape, "
          "with complete rows after it",
          extent.axis);
    }
    Set(0, {first, extent.maker, extent.part * inner / rest, extent.which});
  }

  ops::InferScope& scope_;
  const ops::AxisRelation relation_;
};

}  // namespace

void PassExtentsOn(ops::InferScope& scope) {
  const bool is_known = std::ranges::any_of(scope.node().inputs, [](const ir::Source& source) {
    return ir::ExtentOf(source).has_value();
  });
  if (!is_known || ir::IsResult(scope.node())) return;
  if (scope.node().operation->traits.pointwise) return PassThroughElements(scope);
  AxisPassing(scope).Run();
}

}  // namespace weft::graph
