// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/late_edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/pads.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

ir::Source NewNumber(ir::Graph& graph, const ir::Node& like, ElementType type, double number) {
  if (!IsFloat(type)) return NewInts(graph, like, {type, {}}, {static_cast<int64_t>(number)});
  return NewFloats(graph, like, {}, {static_cast<float>(number)});
}

// Returns true if only this axis is padded.
bool IsPaddedAlong(const ops::Windows& windows, size_t axis) {
  for (size_t i = 0; i < windows.begin.size(); ++i) {
    if (i != axis && (windows.begin[i] != 0 || windows.end[i] != 0)) return false;
  }
  return true;
}

}  // namespace

ir::Source NewShift(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t positions,
                    double fill) {
  const BorderFill number = {NewNumber(graph, *source.node, TypeOf(source).type, fill)};
  return NewBorder(graph, source, number, axis, positions, /*shifts=*/true);
}

void JoinBorders(ir::Graph& graph, const TimeAxes& times) {
  for (ir::Node* node : times.nodes()) {
    const std::vector<ops::Windows>& windows = times.Relation(node).windows;
    const TimeAxis* time = windows.empty() ? nullptr : times.Of(node->inputs[0]);
    if (time != nullptr) JoinBorder(graph, *node, static_cast<size_t>(time->axis));
  }
}

ir::Source NewMasked(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t late,
                     double fill) {
  const auto at = static_cast<size_t>(axis);
  Dims dims(DimsOf(source).size(), 1);
  dims[at] = DimsOf(source)[at];
  const ir::Node& like = *source.node;
  const ir::Source mask = NewLateMask(graph, like, dims, axis, late);
  const ir::Source filled = NewNumber(graph, like, TypeOf(source).type, fill);
  return {NewInferredNode(graph, like, "Select", 1, {mask, source, filled}), 0};
}

bool SetWindows(ir::Graph& graph, ir::Node& node, const ops::Windows& windows, bool was_padded) {
  const size_t at = windows.at();
  std::map<std::string, std::string>& attributes = node.attributes;
  const auto rounding = attributes.find("rounding_type");
  if (rounding != attributes.end()) {
    if (rounding->second != "floor" && windows.begin.size() > 1) return false;
    rounding->second = "floor";
  }
  SetPads(node, windows.begin, windows.end);
  if (attributes.contains("output_padding")) {
    Faults discarded;
    Dims padding = ops::NodeScope(graph, node, discarded).attributes.Ints("output_padding");
    if (at < padding.size()) padding[at] = 0;
    attributes["output_padding"] = fmt::format("{}", fmt::join(padding, ","));
  }
  const bool is_whole = !was_padded && IsPaddedAlong(windows, at);
  if (is_whole && attributes.contains("exclude-pad")) attributes["exclude-pad"] = "false";
  return true;
}

void PassOn(ir::Graph& graph, ir::Node& node, const ir::Source& data) {
  const Dims& dims = node.outputs[0].type.dims;
  Become(node, "Identity", 16, {Reshaped(graph, node, data, dims)});
  node.attributes[kMoved] = "true";
}

void CutTo(ir::Graph& graph, ir::Node& node, std::vector<ops::Runs> runs, const Selection& kept) {
  runs[static_cast<size_t>(kept.axis)] = {{0, kept.end - kept.begin, kept.begin, 1}};
  const ir::Source data = node.inputs[0];
  bool is_whole = true;
  for (size_t axis = 0; axis < runs.size(); ++axis) {
    is_whole = is_whole && ops::IsInOrder(runs[axis], DimsOf(data)[axis]);
  }
  if (is_whole) return PassOn(graph, node, data);
  BecomeSlice(graph, node, runs);
}

bool HasOneRunEach(const AxisRelation& relation) {
  const auto is_one = [](const ops::Runs& runs) { return runs.size() == 1; };
  return !relation.runs.empty() && std::ranges::all_of(relation.runs, is_one);
}

bool TakesItsRuns(const AxisRelation& relation) {
  const auto taken = [&](const Selection& selection) {
    const ops::Run& run = relation.runs[static_cast<size_t>(selection.axis)][0];
    return run.source == selection.begin && run.count == selection.end - selection.begin;
  };
  return HasOneRunEach(relation) && std::ranges::all_of(relation.selections, taken);
}

}  // namespace weft::graph
