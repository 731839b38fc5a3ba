// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/canonical/pads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/canonical/axis_path.h"
#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/shifts.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/look_back.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

// Returns the windows of a node if its attributes can set their padding, to which rounding up would
// add.
std::vector<ops::Windows> WindowsIn(const ir::Graph& graph, ir::Node& node) {
  if (node.operation == nullptr || node.constant) return {};
  const Quiet<ops::Attributes> attributes(graph, node);
  if (attributes.Text("rounding_type", "floor") != "floor") return {};
  return ops::RelationOf(graph, node).windows;
}

std::optional<ops::Windows> WindowsAlong(const ir::Graph& graph, ir::Node& node, size_t axis) {
  const std::vector<ops::Windows> windows = WindowsIn(graph, node);
  const auto found = std::ranges::find(windows, static_cast<int64_t>(axis), &ops::Windows::axis);
  return found == windows.end() ? std::nullopt : std::optional(*found);
}

// Replaces the Pad before the window by a copy, because it may have other readers.
ir::Node* CopyOfPad(ir::Graph& graph, ir::Node& window) {
  std::unique_ptr<ir::Node> copy = ir::CopyOf(*window.inputs[0].node);
  window.inputs[0].node = copy.get();
  graph.nodes.push_back(std::move(copy));
  return window.inputs[0].node;
}

// Sets the axis to 0 in input 1 or 2 of a Pad.
void TakeOff(ir::Graph& graph, ir::Node& pad, size_t input, size_t axis) {
  const ir::Source numbers = pad.inputs[input];
  Dims others = IntsOf(numbers);
  others[axis] = 0;
  pad.inputs[input] = NewInts(graph, pad, TypeOf(numbers), others);
}

// Sets a border along one axis as padding of the windows.
bool SetBorder(const ir::Graph& graph, ir::Node& window, const Border& border, size_t axis) {
  std::optional<ops::Windows> windows = WindowsAlong(graph, window, axis);
  if (!windows || windows->spread || border.begin[axis] < 0 || border.end[axis] < 0) return false;
  int64_t &begin = windows->begin[windows->at()], &end = windows->end[windows->at()];
  if (border.begin[axis] > 0 && (border.repeats || windows->fill != border.fill)) {
    const bool is_padded = begin != 0 || (end != 0 && border.end[axis] != 0);
    if (is_padded || static_cast<float>(border.fill) != border.fill) return false;
    window.attributes[ops::PadFillOf(windows->axis)] =
        border.repeats ? ops::kRepeatFirst : fmt::format("{}", border.fill);
  }
  begin += border.begin[axis];
  end += border.end[axis];
  SetPads(window, windows->begin, windows->end);
  return true;
}

void TakeOff(ir::Graph& graph, ir::Node& window, const Border& border, size_t axis) {
  ir::Node& pad = *CopyOfPad(graph, window);
  pad.outputs[0].type.dims[axis] -= border.begin[axis] + border.end[axis];
  TakeOff(graph, pad, 1, axis);
  TakeOff(graph, pad, 2, axis);
}

// Whether the window looks back is known only after the border is set.
void JoinPad(ir::Graph& graph, ir::Node& window, const Border& border, size_t axis,
             std::vector<FilledWindow>& filled) {
  const auto attributes = window.attributes;
  const ir::Source data = window.inputs[0];
  if (!SetBorder(graph, window, border, axis)) return;
  TakeOff(graph, window, border, axis);
  const ops::AxisRelation relation = ops::RelationOf(graph, window);
  const auto at = static_cast<int64_t>(axis);
  const auto delay = std::ranges::find(relation.delays, at, &ops::Delay::axis);
  if (delay == relation.delays.end()) {
    window.attributes = attributes;
    window.inputs[0] = data;
  } else if (window.attributes.contains(ops::PadFillOf(at))) {
    filled.push_back({&window, at, border.begin[axis], FillOf(*data.node, border)});
  }
}

// Returns the border that the data of a node with windows reads.
std::optional<Border> BorderBefore(const ir::Graph& graph, const ir::Node& node) {
  return node.inputs.empty() ? std::nullopt : BorderOf(graph, *node.inputs[0].node);
}

// Returns the windows of a node, also those of a convolution whose outputs each depend on one
// position, which has no relation between positions.
std::vector<ops::Windows> AllWindowsIn(const ir::Graph& graph, ir::Node& node) {
  std::vector<ops::Windows> windows = WindowsIn(graph, node);
  const ir::Constant* filters = IsConvolved(node) ? ConstantOf(node.inputs[1]) : nullptr;
  if (!windows.empty() || filters == nullptr || filters->type.type != ElementType::f32) {
    return windows;
  }
  const auto is_finite = [](float number) { return std::isfinite(number); };
  if (!std::ranges::all_of(ops::Floats(*filters), is_finite)) return {};
  ops::Windows all = {.axis = 2};
  all.begin = all.end = Dims(TypeOf(node.inputs[0]).dims.size() - 2);
  return {all};
}

// Returns the only axis with a border, if the border is zeros after the last element.
std::optional<size_t> AxisOfEndZeros(const Border& border) {
  std::optional<size_t> axis;
  if (border.repeats || border.fill != 0 || std::signbit(border.fill)) return std::nullopt;
  for (size_t i = 0; i < border.end.size(); ++i) {
    if (border.begin[i] == 0 && border.end[i] == 0) continue;
    if (axis || border.begin[i] != 0 || border.end[i] < 0) return std::nullopt;
    axis = i;
  }
  return axis;
}

void JoinEndPad(ir::Graph& graph, ir::Node& pad) {
  const std::optional<Border> border = BorderOf(graph, pad);
  const std::optional<size_t> axis = border ? AxisOfEndZeros(*border) : std::nullopt;
  if (!axis || !pad.inputs[0].node->attributes.contains("output_padding")) return;
  ir::Node& window = *pad.inputs[0].node;
  const std::optional<ops::Windows> windows = WindowsAlong(graph, window, *axis);
  const bool is_known = windows && windows->spread && window.inputs.size() == 2;
  if (!is_known || windows->end[windows->at()] > 0) return;
  Dims padding = Quiet<ops::NodeScope>(graph, window).attributes.Ints("output_padding");
  padding.resize(windows->begin.size(), 0);
  int64_t& more = padding[windows->at()];
  more += border->end[*axis];
  if (more >= windows->stride) return;
  graph.nodes.push_back(ir::CopyOf(window));
  ir::Node& longer = *graph.nodes.back();
  longer.attributes["output_padding"] = fmt::format("{}", fmt::join(padding, ","));
  longer.outputs[0].type = pad.outputs[0].type;
  longer.outputs[0].names.clear();
  ir::HandOver(graph, {&pad, 0}, {&longer, 0});
}

}  // namespace

void JoinOwnPad(ir::Graph& graph, ir::Node& window,
                const std::function<bool(const ir::Node&)>& may_follow) {
  if (window.inputs.empty() || !window.bodies.empty()) return;
  auto [path, padded] = PathTo(window.inputs[0]);
  ir::Node* const follower = may_follow && may_follow(*padded.node) ? padded.node : nullptr;
  if (may_follow && follower == nullptr) return;
  if (follower != nullptr) padded = follower->inputs[0];
  const std::optional<Border> border = BorderOf(graph, *padded.node);
  if (!border || border->repeats) return;
  const std::vector<ops::Windows> windows = AllWindowsIn(graph, window);
  if (windows.empty() || windows[0].spread || windows[0].fill != border->fill) return;
  const std::optional<AxisOrigins> origins = OriginsAtEnd(path, border->begin.size());
  if (!origins) return;
  Dims begin = windows[0].begin, end = windows[0].end;
  for (size_t axis = 0; axis < border->begin.size(); ++axis) {
    const int64_t before = border->begin[axis], after = border->end[axis];
    if (before == 0 && after == 0) continue;
    const int64_t at = PositionOf(*origins, axis) - windows[0].first_axis;
    if (at < 0 || before < 0 || after < 0) return;
    begin[static_cast<size_t>(at)] += before;
    end[static_cast<size_t>(at)] += after;
  }
  ir::Source data = padded.node->inputs[0];
  if (!KeepsChanged(path, TypeOf(padded).dims, TypeOf(data).dims)) return;
  if (follower != nullptr) {
    follower->inputs[0] = data;
    follower->outputs[0].type.dims = TypeOf(data).dims;
    data = {follower, 0};
  }
  window.inputs[0] = Along(graph, window, path, data);
  SetPads(window, begin, end);
}

namespace {

class CutJoining {
 public:
  explicit CutJoining(ir::Graph& graph) : graph_(graph), readers_(Readers(graph)) {}

  void Run() {
    for (ir::Node* node : ir::Topological(graph_)) {
      const std::optional<ops::Selection> kept = StartOf(*node);
      if (!kept) continue;
      const ir::Source data = node->inputs[0];
      const int64_t cut = TypeOf(data).dims[static_cast<size_t>(kept->axis)] - kept->end;
      if (!Visit(data, kept->axis, cut, /*cuts=*/false)) continue;
      Visit(data, kept->axis, cut, /*cuts=*/true);
      TakeAll(graph_, *node, data);
    }
  }

 private:
  // Reads a slice that only removes elements at the end.
  std::optional<ops::Selection> StartOf(ir::Node& node) {
    const std::optional<ops::Selection> kept = SliceOf(graph_, node);
    return kept && kept->begin == 0 ? kept : std::nullopt;
  }

  // Returns true if all nodes that compute elements of the axis can compute `cut` fewer. If `cuts`,
  // applies the change.
  bool Visit(const ir::Source& source, int64_t axis, int64_t cut, bool cuts) {
    ir::Node& node = *source.node;
    const bool is_read_once = IsReadOnce(readers_, node) && node.outputs.size() == 1;
    if (!is_read_once || node.constant || !node.bodies.empty()) return false;
    const bool can =
        VisitWindow(node, axis, cut, cuts) ||
        (ops::TraitsOf(node).sequence_states == 0 && VisitInputs(node, axis, cut, cuts));
    if (can && cuts) node.outputs[0].type.dims[static_cast<size_t>(axis)] -= cut;
    return can;
  }

  bool VisitInputs(ir::Node& node, int64_t axis, int64_t cut, bool cuts) {
    const ops::AxisRelation relation = ops::RelationOf(graph_, node);
    const bool is_shaped = relation.reshapes || relation.stretches || relation.selects;
    if (is_shaped || relation.sum || !relation.delays.empty()) return false;
    const ops::PortAxis out = {true, 0, axis};
    for (const ops::AxisGroup& group : relation.groups) {
      if (std::ranges::find(group, out) == group.end()) continue;
      for (const ops::PortAxis& at : group) {
        if (!at.output && !Visit(node.inputs[at.port], at.axis, cut, cuts)) return false;
      }
      return group.size() > 1;
    }
    return false;
  }

  bool VisitWindow(ir::Node& node, int64_t axis, int64_t cut, bool cuts) {
    std::optional<ops::Windows> windows = WindowsAlong(graph_, node, static_cast<size_t>(axis));
    if (!windows) return false;
    int64_t& end = windows->end[windows->at()];
    end += windows->spread ? cut : -cut * windows->stride;
    if (end < 0) return false;
    if (cuts) SetPads(node, windows->begin, windows->end);
    return true;
  }

  ir::Graph& graph_;
  const ReaderMap readers_;
};

}  // namespace

void JoinOwnPads(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) JoinOwnPads(*body.graph);
    JoinOwnPad(graph, *node);
  }
}

std::vector<FilledWindow> JoinPads(ir::Graph& graph) {
  std::vector<FilledWindow> filled;
  for (ir::Node* node : ir::Topological(graph)) {
    const std::optional<Border> border = BorderBefore(graph, *node);
    for (size_t axis = 0; border && axis < border->begin.size(); ++axis) {
      const bool is_first = border->begin[axis] > 0 && border->end[axis] == 0;
      if (is_first) JoinPad(graph, *node, *border, axis, filled);
    }
  }
  return filled;
}

void TakeBack(ir::Graph& graph, const FilledWindow& window) {
  ir::Node& node = *window.node;
  if (node.attributes.erase(ops::PadFillOf(window.axis)) == 0) return;
  ops::Windows windows = WindowsAlong(graph, node, static_cast<size_t>(window.axis)).value();
  windows.begin[windows.at()] -= window.positions;
  SetPads(node, windows.begin, windows.end);
  node.inputs[0] =
      NewBorder(graph, node.inputs[0], window.fill, window.axis, window.positions, false);
}

void SetPads(ir::Node& window, const Dims& begin, const Dims& end) {
  const auto text = [](const Dims& numbers) {
    const std::string with_brackets = ToString(numbers);
    return with_brackets.substr(1, with_brackets.size() - 2);
  };
  window.attributes["auto_pad"] = "explicit";
  window.attributes["pads_begin"] = text(begin);
  window.attributes["pads_end"] = text(end);
}

bool JoinBorder(ir::Graph& graph, ir::Node& window, size_t axis) {
  const std::optional<Border> border = BorderBefore(graph, window);
  const bool is_empty = !border || (border->begin[axis] == 0 && border->end[axis] == 0);
  if (is_empty || !SetBorder(graph, window, *border, axis)) return false;
  TakeOff(graph, window, *border, axis);
  return true;
}

void JoinEndPads(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) JoinEndPad(graph, *node);
}

void JoinCuts(ir::Graph& graph) { CutJoining(graph).Run(); }

}  // namespace weft::graph
