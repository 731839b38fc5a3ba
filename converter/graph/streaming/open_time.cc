// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/open_time.h"

#include <algorithm>
#include <optional>

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

}  // namespace

TimeSeeds FillOpenAxes(ir::Graph& graph, const TimeNames& names, int64_t length) {
  TimeSeeds open;
  for (size_t input = 0; input < graph.parameters.size(); ++input) {
    ir::Node& parameter = *graph.parameters[input];
    const std::optional<size_t> axis = OpenAxis(graph, input, names);
    if (!parameter.outputs[0].declared || !axis) continue;
    int64_t places = length;
    if (*axis < parameter.bounds.size()) {
      const auto [least, most] = parameter.bounds[*axis];
      places = std::max(least, std::min(places, most));
    }
    parameter.outputs[0].type.dims[*axis] = places;
    open.push_back({false, input, static_cast<int64_t>(*axis)});
  }
  return open;
}

bool AreTime(const TimeSeeds& open, const Streamed& streamed) {
  return std::ranges::all_of(open, [&](const PortAxis& port) {
    const std::optional<CutAxis>& time = streamed.inputs[port.port].time;
    return time && time->axis == port.axis;
  });
}

void ForgetLengths(Streamed& streamed) {
  streamed.all_steps = 0;
  for (std::vector<StreamedPort>* ports : {&streamed.inputs, &streamed.outputs}) {
    for (StreamedPort& port : *ports) {
      if (port.time) port.time->all_places = 0;
    }
  }
}

}  // namespace weft::graph
