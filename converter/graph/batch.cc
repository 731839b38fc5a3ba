// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "converter/base/shell_word.h"
#include "converter/base/visible.h"

namespace weft::graph {
namespace {

bool IsNamedTime(const ir::Graph& graph, size_t input, const TimeNames& names) {
  return std::ranges::any_of(names, [&](const auto& named) {
    const auto& [name, axis] = named;
    const auto rank = static_cast<int64_t>(graph.parameters[input]->outputs[0].type.dims.size());
    return (axis == 0 || axis == -rank) && PortNamed(graph, name) == ops::PortAxis{false, input, 0};
  });
}

// Returns the --shape option that sets the batch; other dynamic axes are "?".
std::string ShapeOption(const std::string& name, const Dims& dims) {
  std::string text = fmt::format("--shape {}=N", ShellWord(name));
  for (size_t axis = 1; axis < dims.size(); ++axis) {
    text += dims[axis] < 0 ? ",?" : fmt::format(",{}", dims[axis]);
  }
  return text;
}

void Assume(const ir::Graph& graph, ir::Node& parameter, Faults& faults) {
  ir::OutputPort& port = parameter.outputs[0];
  const std::string name = OneLine(port.names.empty() ? parameter.name : port.names.front());
  const int64_t min = parameter.bounds.empty() ? 1 : parameter.bounds[0].min;
  const int64_t batch = std::max<int64_t>(min, 1);
  faults.Warn(fmt::format(
      "{}: input \"{}\" {}: its batch is dynamic; assumed to be {} ({} sets it)", graph.file, name,
      ir::BoundedText(parameter), batch, ShapeOption(name, port.type.dims)));
  port.type.dims[0] = batch;
}

}  // namespace

bool AssumeBatches(ir::Graph& graph, const BatchOptions& options, Faults& faults) {
  std::vector<ir::Node*> batches, rows;
  bool keeps_some = false;
  for (size_t i = 0; i < graph.parameters.size(); ++i) {
    ir::Node& parameter = *graph.parameters[i];
    const ir::OutputPort& port = parameter.outputs[0];
    const Dims& dims = port.type.dims;
    const bool is_open = port.declared && !dims.empty() && dims[0] < 0;
    if (!is_open || parameter.type.empty() || IsNamedTime(graph, i, options.time_axes)) continue;
    const auto others =
        std::count_if(dims.begin() + 1, dims.end(), [](int64_t dim) { return dim < 0; });
    if (dims.size() == 1) {
      rows.push_back(&parameter);
    } else if (others == 1 && options.streams) {
      batches.push_back(&parameter);
    } else if (others == 0) {
      keeps_some = keeps_some || !options.assumes_only_axis;
      if (options.assumes_only_axis) batches.push_back(&parameter);
    }
  }
  if (!batches.empty()) batches.insert(batches.end(), rows.begin(), rows.end());
  for (ir::Node* parameter : batches) Assume(graph, *parameter, faults);
  return !keeps_some;
}

}  // namespace weft::graph
