// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/shifts.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/late_edits.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/graph/streaming/parts.h"
#include "converter/graph/streaming/time_map.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr int64_t kMaxStarts = 16;  // each needs a Select in every step

ir::Source PositionOf(ir::Graph& graph, const ir::Node& like, const ir::Source& starts,
                      int64_t axis, int64_t position) {
  if (DimsOf(starts)[static_cast<size_t>(axis)] == 1) return starts;
  return NewPart(graph, like, starts, axis, position, 1);
}

// Returns `first` at the first `positions` positions, and `other` at later ones.
ir::Source Chosen(ir::Graph& graph, const ir::Node& like, const ir::Source& first,
                  const ir::Source& other, int64_t axis, int64_t positions) {
  Dims flags(DimsOf(other).size(), 1);
  flags[static_cast<size_t>(axis)] = DimsOf(other)[static_cast<size_t>(axis)];
  const ir::Source mask = NewLateMask(graph, like, flags, axis, positions);
  return NewOperation(graph, like, "Select", 1, {mask, other, first});
}

// Converts [a, b, x...] to [b, x...] moved by one position, with a selected before it.
void PutAfter(ir::Graph& graph, ir::Node& join, ir::Source source, int64_t axis,
              const std::function<ir::Source(const ir::Source&)>& move) {
  const ir::Source starts = join.inputs[0];
  for (int64_t position = DimsOf(starts)[static_cast<size_t>(axis)]; position-- > 0;) {
    const ir::Source start = PositionOf(graph, join, starts, axis, position);
    source = Chosen(graph, join, start, move(source), axis, 1);
  }
  Become(join, "Identity", 16, {source});
}

bool JoinsTwo(const ir::Node& node) {
  return ops::TraitsOf(node).joins && node.inputs.size() == 2 && !node.inputs[1].node->constant;
}

bool StartToShift(ir::Graph& graph, ir::Node& join, const TimeAxes& times) {
  const ir::Source starts = join.inputs[0], second = join.inputs[1];
  const std::optional<Selection> kept = SliceOf(graph, *second.node);
  if (!kept || kept->begin != 0) return false;
  const ir::Source source = second.node->inputs[0];
  const TimeAxis* time = times.Of(source);
  if (time == nullptr || time->axis != kept->axis || times.Of(starts) != nullptr) return false;
  const auto at = static_cast<size_t>(kept->axis);
  const Dims dims = DimsOf(source);
  const int64_t positions = DimsOf(starts)[at];
  const bool shifts = DimsOf({&join, 0}) == dims && dims[at] - kept->end == positions;
  if (!shifts || positions > kMaxStarts) return false;
  PutAfter(graph, join, source, kept->axis,
           [&](const ir::Source& moved) { return NewShift(graph, moved, kept->axis, 1, 0); });
  return true;
}

// If the first positions are a slice of a tensor with the extents of the result, returns that
// tensor.
std::optional<ir::Source> WholeOf(ir::Graph& graph, ir::Node& join, int64_t axis) {
  ir::Node& first = *join.inputs[0].node;
  const std::optional<Selection> taken = SliceOf(graph, first);
  const bool is_start = taken && taken->axis == axis && taken->begin == 0 &&
                        DimsOf(first.inputs[0]) == DimsOf({&join, 0});
  return is_start ? std::optional(first.inputs[0]) : std::nullopt;
}

// Converts a concatenation of a few first positions and values computed from later ones. Returns
// false if the node has another form.
bool StartToChoice(ir::Graph& graph, ir::Node& join, const TimeAxes& times) {
  const ir::Source starts = join.inputs[0], rest = join.inputs[1];
  const TimeAxis* time = times.Of(rest) != nullptr ? times.Of(rest) : times.Of({&join, 0});
  if (time == nullptr) return false;
  const int64_t axis = time->axis;
  const auto at = static_cast<size_t>(axis);
  const int64_t positions = DimsOf(starts)[at];
  if (positions > kMaxStarts || positions + DimsOf(rest)[at] != DimsOf({&join, 0})[at])
    return false;
  if (const std::optional<ir::Source> whole = WholeOf(graph, join, axis)) {
    const ir::Source after = NewBorder(graph, rest, {}, axis, positions, /*shifts=*/false);
    Become(join, "Identity", 16, {Chosen(graph, join, *whole, after, axis, positions)});
    return true;
  }
  if (times.Of(starts) != nullptr) return false;
  PutAfter(graph, join, rest, axis, [&](const ir::Source& moved) {
    return NewBorder(graph, moved, {}, axis, 1, /*shifts=*/false);
  });
  return true;
}

}  // namespace

bool StartsToShifts(ir::Graph& graph, const TimeAxes& times) {
  bool changed = false;
  for (ir::Node* node : times.nodes()) {
    changed = (JoinsTwo(*node) && StartToShift(graph, *node, times)) || changed;
  }
  return changed;
}

// Time may reach further nodes through each change, so this repeats.
std::optional<TimeMap> StartsToChoices(const Rewritten& rewritten, const TimeSeeds& seeds,
                                       TimeMap map) {
  ir::Graph& graph = rewritten.graph;
  bool changed = false;
  for (ir::Node* node : map.axes.nodes()) {
    changed = (JoinsTwo(*node) && StartToChoice(graph, *node, map.axes)) || changed;
  }
  if (!changed) return map;
  std::optional<TimeMap> next = MapAhead(rewritten, seeds);
  return next ? StartsToChoices(rewritten, seeds, *std::move(next)) : std::nullopt;
}

}  // namespace weft::graph
