// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/ports.h"

#include <algorithm>
#include <set>
#include <utility>

#include "converter/graph/streaming/latency.h"

namespace weft::graph {
namespace {

StreamedPort PortOf(const ir::Source& source, const std::string& layer, const TimeAxes& times,
                    int64_t steps) {
  const ir::OutputPort& port = source.node->outputs[source.port];
  StreamedPort streamed{port.names.empty() ? layer : port.names[0], port.type, {}, false, 0};
  if (const TimeAxis* time = times.Of(source)) {
    const int64_t positions = time->outer * time->chunk;
    streamed.time = {time->axis, positions * steps, positions * times.steps()};
  }
  return streamed;
}

// Returns the nodes that depend on time. A loop may create a time axis of its own.
std::set<const ir::Node*> AfterTime(const TimeAxes& times) {
  std::set<const ir::Node*> after;
  for (ir::Node* node : times.nodes()) {
    bool is_after = std::ranges::any_of(node->inputs, [&](const ir::Source& source) {
      return times.Of(source) != nullptr || after.contains(source.node);
    });
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      is_after = is_after || (ir::Iterates(*node) && times.Of({node, port}) != nullptr);
    }
    if (is_after) after.insert(node);
  }
  return after;
}

// Returns true if nothing but the initial values of states reads the input.
bool IsInitialValue(const ir::Graph& graph, const ir::Node& parameter) {
  bool is_read = false;
  for (const ir::Node* node : ir::Topological(graph)) {
    for (const ir::Source& source : node->inputs) {
      if (source.node != &parameter) continue;
      if (!ir::IsReadValue(*node)) return false;
      is_read = true;
    }
  }
  return is_read;
}

}  // namespace

void DescribePorts(const ir::Graph& graph, const TimeAxes& times, int64_t steps,
                   Streamed& streamed) {
  streamed.steps = steps;
  streamed.all_steps = times.steps();
  for (ir::Node* parameter : graph.parameters) {
    StreamedPort port = PortOf({parameter, 0}, parameter->name, times, steps);
    port.is_initial = !port.time && IsInitialValue(graph, *parameter);
    streamed.inputs.push_back(std::move(port));
  }
  const std::set<const ir::Node*> after = AfterTime(times);
  for (const ir::Node* result : graph.results) {
    StreamedPort port = PortOf(result->inputs[0], result->name, times, steps);
    port.so_far = !port.time && after.contains(result);
    port.latency = LatencyOf(*result);
    streamed.outputs.push_back(std::move(port));
  }
}

}  // namespace weft::graph
