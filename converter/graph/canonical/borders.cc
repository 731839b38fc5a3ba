// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/canonical/borders.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/lower.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

// Returns the only axis with a border, if it is only before the first element.
std::optional<int64_t> OnlyAxisOf(const Border& border) {
  std::optional<int64_t> axis;
  for (size_t i = 0; i < border.begin.size(); ++i) {
    if (border.begin[i] == 0 && border.end[i] == 0) continue;
    if (axis || border.begin[i] < 0 || border.end[i] != 0) return std::nullopt;
    axis = static_cast<int64_t>(i);
  }
  return axis;
}

// Returns true if each element of the only output comes from one element of input 0. Sums and
// products with a constant are excluded: without the border between them, they could be merged with
// their neighbours.
bool TakesPositions(const ir::Node& node, bool computes) {
  if (node.operation == nullptr || node.constant || node.inputs.empty()) return false;
  if (node.outputs.size() != 1 || !node.bodies.empty()) return false;
  const bool is_alone = std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                                    [](const ir::Source& input) { return input.node->constant; });
  const ops::Traits& traits = ops::TraitsOf(node);
  const bool moves = traits.reshapes || IsCalled(node, "Transpose");
  return is_alone && (moves || (computes && traits.pointwise && node.inputs.size() == 1));
}

// Returns the output axis that corresponds to the axis of input 0, if no other input contributes to
// it.
std::optional<int64_t> AxisAfter(const ir::Graph& graph, ir::Node& node, int64_t axis) {
  const Dims &in = TypeOf(node.inputs[0]).dims, &out = node.outputs[0].type.dims;
  if (ops::TraitsOf(node).reshapes) {
    const auto at = static_cast<size_t>(axis);
    for (size_t to = 0; to < out.size(); ++to) {
      const bool is_same = ops::ProductOf(in, 0, at) == ops::ProductOf(out, 0, to);
      if (is_same && out[to] == in[at]) return static_cast<int64_t>(to);
    }
    return std::nullopt;
  }
  for (const ops::AxisGroup& group : ops::RelationOf(graph, node).groups) {
    const bool is_of = std::ranges::find(group, ops::PortAxis{false, 0, axis}) != group.end();
    if (!is_of) continue;
    const auto to = std::ranges::find(group, true, &ops::PortAxis::output);
    return group.size() == 2 && to != group.end() ? std::optional(to->axis) : std::nullopt;
  }
  return std::nullopt;
}

void MoveBorder(ir::Graph& graph, ir::Node& node) {
  if (node.inputs.empty()) return;
  ir::Node& pad = *node.inputs[0].node;
  const std::optional<Border> border = BorderOf(graph, pad);
  if (!border || !TakesPositions(node, border->repeats)) return;
  const std::optional<int64_t> axis = OnlyAxisOf(*border);
  const std::optional<int64_t> after = axis ? AxisAfter(graph, node, *axis) : std::nullopt;
  if (!after || TypeOf(pad.inputs[0]).dims[static_cast<size_t>(*axis)] < 2) return;
  const int64_t positions = border->begin[static_cast<size_t>(*axis)];
  Dims dims = node.outputs[0].type.dims;
  dims[static_cast<size_t>(*after)] -= positions;
  ir::Source moved;
  if (ops::TraitsOf(node).reshapes) {
    moved = NewReshape(graph, node, pad.inputs[0], dims);
  } else {
    graph.nodes.push_back(ir::CopyOf(node));
    moved = {graph.nodes.back().get(), 0};
    moved.node->inputs[0] = pad.inputs[0];
    moved.node->outputs[0].names.clear();
  }
  moved.node->outputs[0].type = {node.outputs[0].type.type, dims};
  BecomeBorder(graph, node, moved, FillOf(pad, *border), *after, positions, /*shifts=*/false);
}

}  // namespace

std::optional<Border> BorderOf(const ir::Graph& graph, ir::Node& pad) {
  if (!IsCalled(pad, "Pad")) return std::nullopt;
  const Quiet<ops::NodeScope> scope(graph, pad);
  const std::string mode = scope.attributes.Text("pad_mode", "constant");
  const std::optional<std::vector<double>> fill =
      scope.has_input(3) ? scope.Numbers(3) : std::vector<double>{0};
  const std::optional<Dims> begin = scope.Ints(1), end = scope.Ints(2);
  if (!begin || !end) return std::nullopt;
  if (mode == "edge") return Border{*begin, *end, 0, true};
  if (!fill || fill->size() != 1 || mode != "constant") return std::nullopt;
  return Border{*begin, *end, fill->front()};
}

BorderFill FillOf(const ir::Node& pad, const Border& border) {
  BorderFill fill{.number = std::nullopt, .repeats = border.repeats};
  if (!border.repeats && pad.inputs.size() > 3) fill.number = pad.inputs[3];
  return fill;
}

void BecomeBorder(ir::Graph& graph, ir::Node& node, const ir::Source& data, const BorderFill& fill,
                  int64_t axis, int64_t positions, bool shifts) {
  BecomeBorders(graph, node, data, fill, axis, positions, shifts ? -positions : 0);
}

void BecomeBorders(ir::Graph& graph, ir::Node& node, const ir::Source& data, const BorderFill& fill,
                   int64_t axis, int64_t before, int64_t after) {
  const size_t rank = TypeOf(data).dims.size();
  const TensorType type = {ElementType::i64, {static_cast<int64_t>(rank)}};
  Dims begins(rank, 0), ends(rank, 0);
  begins[static_cast<size_t>(axis)] = before;
  ends[static_cast<size_t>(axis)] = after;
  std::vector<ir::Source> inputs = {data, NewInts(graph, node, type, begins),
                                    NewInts(graph, node, type, ends)};
  if (fill.number) inputs.push_back(*fill.number);
  Become(node, "Pad", 12, std::move(inputs));
  node.attributes["pad_mode"] = fill.repeats ? "edge" : "constant";
}

ir::Source NewBorder(ir::Graph& graph, const ir::Source& data, const BorderFill& fill, int64_t axis,
                     int64_t positions, bool shifts) {
  const ir::Source border = NewIdentity(graph, *data.node, data);
  TensorType type = TypeOf(data);
  if (!shifts) type.dims[static_cast<size_t>(axis)] += positions;
  border.node->outputs[0].type = std::move(type);
  BecomeBorder(graph, *border.node, data, fill, axis, positions, shifts);
  return border;
}

void TakeAll(ir::Graph& graph, ir::Node& slice, const ir::Source& data) {
  BecomeReshape(graph, slice, data, slice.outputs[0].type.dims);
  slice.attributes[kMoved] = "true";
}

void MoveBorders(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) MoveBorder(graph, *node);
}

}  // namespace weft::graph
