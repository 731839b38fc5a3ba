// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/open_time.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "converter/graph/canonical/canonical.h"
#include "converter/graph/double_length.h"
#include "converter/graph/origins.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/check.h"
#include "converter/graph/streaming/positions.h"
#include "converter/ir/edit.h"
#include "converter/ir/time_length.h"

namespace weft::graph {
namespace {

std::optional<size_t> OpenAxis(const ir::Graph& graph, size_t input, const TimeNames& names) {
  const Dims& dims = DimsOf({graph.parameters[input], 0});
  const auto rank = static_cast<int64_t>(dims.size());
  for (const auto& [name, given] : names) {
    const int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank || PortNamed(graph, name) != PortAxis{false, input, 0}) continue;
    if (dims[static_cast<size_t>(axis)] < 0) return static_cast<size_t>(axis);
  }
  const auto is_open = [](int64_t dim) { return dim < 0; };
  if (std::ranges::count_if(dims, is_open) != 1) return std::nullopt;
  return static_cast<size_t>(std::ranges::find_if(dims, is_open) - dims.begin());
}

// A dynamic dimension may have a maximum.
bool FitsBounds(const ir::Graph& graph, const Streamed& streamed, Faults& faults) {
  for (size_t input = 0; input < graph.parameters.size(); ++input) {
    const std::vector<ir::Bounds>& bounds = graph.parameters[input]->bounds;
    const format::StreamedPort& row = streamed.inputs[input].row;
    const size_t axis = row.axis();
    if (axis >= bounds.size() || row.positions() <= bounds[axis].max) continue;
    const int64_t max = bounds[axis].max / (row.positions() / streamed.steps);
    faults.Add(TooManySteps(graph, streamed.steps, max));
    return false;
  }
  return true;
}

}  // namespace

TimeSeeds FillOpenAxes(ir::Graph& graph, const TimeNames& names) {
  TimeSeeds open;
  for (size_t input = 0; input < graph.parameters.size(); ++input) {
    ir::OutputPort& port = graph.parameters[input]->outputs[0];
    const std::optional<size_t> axis = OpenAxis(graph, input, names);
    if (!port.declared || !axis) continue;
    port.type.dims[*axis] = ir::kTimeLength;
    port.doubled = port.type.dims;
    port.doubled[*axis] = 2 * ir::kTimeLength;
    open.push_back({false, input, static_cast<int64_t>(*axis)});
  }
  return open;
}

void UnfoldTripCounts(ir::Graph& graph) {
  const Origins origins(graph);
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (ir::Source& input : node->inputs) {
      const ir::Source origin = input.node->constant ? origins.Of(*input.node) : ir::Source();
      if (origin.node != nullptr) input = origin;
    }
  }
}

std::unique_ptr<ir::Graph> WithDynamicAxes(const ir::Graph& graph, const TimeSeeds& open) {
  std::unique_ptr<ir::Graph> copy = ir::CopyOf(graph);
  for (const PortAxis& axis : open) {
    ir::OutputPort& port = copy->parameters[axis.port]->outputs[0];
    port.type.dims[static_cast<size_t>(axis.axis)] = -1;
    port.doubled.clear();
  }
  return copy;
}

std::optional<Streamed> StreamOpenTime(ir::Graph& graph, const StreamOptions& options,
                                       const InferOptions& infer, Folding& folding,
                                       Faults& faults) {
  if (!MarkOpenAxes(graph, infer, folding, faults)) return std::nullopt;
  OpenGathersToReshapes(graph);
  ComputePositions(graph, folding);
  StreamOptions open = options;
  open.is_open = true;
  std::optional<Streamed> streamed = Stream(graph, open, folding, faults);
  if (!streamed || streamed->inputs.empty()) return streamed;
  if (!InferAndFold(graph, infer, folding, faults)) return std::nullopt;
  return FitsBounds(graph, *streamed, faults) ? streamed : std::nullopt;
}

}  // namespace weft::graph
