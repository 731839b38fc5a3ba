// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/pads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/borders.h"
#include "converter/graph/streaming/shifts.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/look_back.h"

namespace weft::graph {
namespace {

using ops::NodeScope;

// Patterns: Pad -> window, and window -> slice.
bool IsCalledOneOf(const ir::Node& node, std::initializer_list<std::string_view> names) {
  return node.operation != nullptr && !node.constant &&
         std::ranges::find(names, node.operation->name) != names.end();
}
bool IsConvolution(const ir::Node& node) {
  return IsCalledOneOf(node, {"Convolution", "GroupConvolution"});
}
bool IsPool(const ir::Node& node) { return IsCalledOneOf(node, {"MaxPool", "AvgPool"}); }
bool IsTransposed(const ir::Node& node) {
  return IsCalledOneOf(node, {"ConvolutionBackpropData", "GroupConvolutionBackpropData"});
}

// The explicit padding of a window's axes; PadsIn returns nullopt if auto_pad determines it or
// rounding up adds to it.
struct Pads {
  Dims begin, end;
};
std::optional<Pads> PadsIn(const NodeScope& scope) {
  const std::string pads = scope.attributes.Text("auto_pad", "explicit");
  const auto space = static_cast<size_t>(scope.rank(0) - 2);
  if (pads != "explicit" && pads != "notset" && pads != "valid") return std::nullopt;
  if (scope.attributes.Text("rounding_type", "floor") != "floor") return std::nullopt;
  Pads found;
  if (pads != "valid") {
    found = {scope.attributes.Ints("pads_begin"), scope.attributes.Ints("pads_end")};
  }
  found.begin.resize(space, 0);
  found.end.resize(space, 0);
  return found;
}

void SetPads(ir::Node& node, const Pads& pads) { graph::SetPads(node, pads.begin, pads.end); }

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

class PadJoining {
 public:
  explicit PadJoining(ir::Graph& graph) : graph_(graph) {}

  std::vector<FilledWindow> Run() {
    for (ir::Node* node : ir::Topological(graph_)) {
      if (!IsConvolution(*node) && !IsPool(*node)) continue;
      const std::optional<Border> border = BorderOf(graph_, *node->inputs[0].node);
      for (size_t axis = 2; border && axis < border->begin.size(); ++axis) {
        if (border->begin[axis] > 0 && border->end[axis] == 0) Join(*node, *border, axis);
      }
    }
    return std::move(filled_);
  }

 private:
  // Whether the window looks back is known only after the border is set.
  void Join(ir::Node& window, const Border& border, size_t axis) {
    const FilledWindow before = {&window, window.attributes, window.inputs[0]};
    if (!SetBorder(window, border, axis)) return;
    ir::Node& pad = *CopyOfPad(graph_, window);
    pad.outputs[0].type.dims[axis] -= border.begin[axis];
    const ops::AxisRelation relation = ops::RelationOf(graph_, window);
    if (DelayAlong(relation, static_cast<int64_t>(axis)) == nullptr) {
      window.attributes = before.attributes;
      window.inputs[0] = before.data;
      return;
    }
    TakeOff(graph_, pad, 1, axis);
    if (window.attributes.contains(ops::kPadFill)) filled_.push_back(before);
  }

  bool SetBorder(ir::Node& window, const Border& border, size_t axis) {
    Faults discarded;
    std::optional<Pads> pads = PadsIn(NodeScope(graph_, window, discarded));
    if (!pads || pads->begin[axis - 2] != 0 || static_cast<float>(border.fill) != border.fill) {
      return false;
    }
    const bool is_own = IsConvolution(window) && border.fill == 0 && !border.repeats;
    if (!is_own) window.attributes[ops::kPadFill] = fmt::format("{}", border.fill);
    if (border.repeats) window.attributes[ops::kPadFill] = ops::kRepeatFirst;
    pads->begin[axis - 2] = border.begin[axis];
    SetPads(window, *pads);
    return true;
  }

  ir::Graph& graph_;
  std::vector<FilledWindow> filled_;
};

class CutJoining {
 public:
  explicit CutJoining(ir::Graph& graph) : graph_(graph), readers_(Readers(graph)) {}

  void Run() {
    for (ir::Node* node : ir::Topological(graph_)) {
      const std::optional<Selection> kept = StartOf(*node);
      if (!kept) continue;
      const ir::Source data = node->inputs[0];
      const int64_t cut = DimsOf(data)[static_cast<size_t>(kept->axis)] - kept->end;
      if (!Visit(data, kept->axis, cut, /*cuts=*/false)) continue;
      Visit(data, kept->axis, cut, /*cuts=*/true);
      TakeAll(graph_, *node, data);
    }
  }

 private:
  // Reads a slice that only removes elements at the end.
  std::optional<Selection> StartOf(ir::Node& node) {
    const std::optional<Selection> kept = SliceOf(graph_, node);
    return kept && kept->begin == 0 ? kept : std::nullopt;
  }

  // Returns true if all nodes that compute elements of the axis can compute `cut` fewer. If `cuts`,
  // applies the change.
  bool Visit(const ir::Source& source, int64_t axis, int64_t cut, bool cuts) {
    ir::Node& node = *source.node;
    const bool is_read_once = readers_[&node].size() == 1 && node.outputs.size() == 1;
    if (!is_read_once || node.constant || !node.bodies.empty()) return false;
    const bool ends = axis >= 2 && (IsConvolution(node) || IsTransposed(node));
    const bool can = (ends && VisitWindow(node, axis, cut, cuts)) ||
                     (!IsSequence(node) && VisitInputs(node, axis, cut, cuts));
    if (can && cuts) node.outputs[0].type.dims[static_cast<size_t>(axis)] -= cut;
    return can;
  }

  bool VisitInputs(ir::Node& node, int64_t axis, int64_t cut, bool cuts) {
    const ops::AxisRelation relation = ops::RelationOf(graph_, node);
    const bool is_shaped = relation.reshapes || relation.stretches || relation.selects;
    if (is_shaped || relation.sum || !relation.delays.empty()) return false;
    const PortAxis out = {true, 0, axis};
    for (const AxisGroup& group : relation.groups) {
      if (std::ranges::find(group, out) == group.end()) continue;
      for (const PortAxis& at : group) {
        if (!at.output && !Visit(node.inputs[at.port], at.axis, cut, cuts)) return false;
      }
      return group.size() > 1;
    }
    return false;
  }

  bool VisitWindow(ir::Node& node, int64_t axis, int64_t cut, bool cuts) {
    Faults discarded;
    const NodeScope scope(graph_, node, discarded);
    std::optional<Pads> pads = PadsIn(scope);
    if (!pads || (IsTransposed(node) && scope.has_input(2))) return false;
    const auto at = static_cast<size_t>(axis - 2);
    const Dims strides = scope.attributes.Ints("strides");
    const int64_t positions = cut * (at < strides.size() ? strides[at] : 1);
    if (IsTransposed(node)) {
      pads->end[at] += cut;
    } else if (pads->end[at] >= positions) {
      pads->end[at] -= positions;
    } else {
      return false;
    }
    if (cuts) SetPads(node, *pads);
    return true;
  }

  ir::Graph& graph_;
  std::map<const ir::Node*, std::vector<ir::Node*>> readers_;
};

}  // namespace

std::vector<FilledWindow> JoinPads(ir::Graph& graph) { return PadJoining(graph).Run(); }

bool IsOverTime(const TimeAxes& times, const FilledWindow& window) {
  const TimeAxis* time = times.Of(window.node->inputs[0]);
  return time != nullptr && DelayAlong(times.Relation(window.node), time->axis) != nullptr;
}

void TakeBack(FilledWindow& window) {
  window.node->attributes = window.attributes;
  window.node->inputs[0] = window.data;
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

void JoinBorder(ir::Graph& graph, ir::Node& window, size_t axis) {
  if (!IsConvolution(window) && !IsPool(window)) return;
  const std::optional<Border> border = BorderOf(graph, *window.inputs[0].node);
  Faults discarded;
  std::optional<Pads> pads = PadsIn(NodeScope(graph, window, discarded));
  if (!border || border->repeats || !pads) return;
  if (border->begin[axis] < 0 || border->end[axis] < 0) return;
  if (border->begin[axis] == 0 && border->end[axis] == 0) return;
  const size_t at = axis - 2;
  const bool is_own = IsConvolution(window) && border->fill == 0;
  const bool is_padded = pads->begin[at] != 0 || pads->end[at] != 0;
  const bool is_float = static_cast<float>(border->fill) == border->fill;
  if (!is_own && (is_padded || !is_float)) return;
  if (!is_own) window.attributes[ops::kPadFill] = fmt::format("{}", border->fill);
  pads->begin[at] += border->begin[axis];
  pads->end[at] += border->end[axis];
  SetPads(window, *pads);
  ir::Node& pad = *CopyOfPad(graph, window);
  pad.outputs[0].type.dims[axis] -= border->begin[axis] + border->end[axis];
  TakeOff(graph, pad, 1, axis);
  TakeOff(graph, pad, 2, axis);
}

void JoinCuts(ir::Graph& graph) { CutJoining(graph).Run(); }

}  // namespace weft::graph
