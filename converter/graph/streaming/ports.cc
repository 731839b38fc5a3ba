// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/delay_graph.h"
#include "converter/graph/streaming/parts.h"

namespace weft::graph {
namespace {

StreamedPort PortOf(const ir::Source& source, const std::string& layer, const TimeAxes& times,
                    const Streamed& streamed) {
  const ir::OutputPort& output = source.node->outputs[source.port];
  StreamedPort port = {output.names.empty() ? layer : output.names[0], output.type};
  if (const TimeAxis* time = times.Of(source)) {
    const int64_t positions = time->outer * time->chunk;
    port.row = {Narrow32(positions * streamed.steps, "positions"),
                Narrow32(positions * streamed.all_steps, "positions"),
                0,
                Narrow<uint8_t>(time->axis, "axis"),
                format::PortTime::steps,
                0};
  }
  return port;
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

// Returns true if `reader` uses the node. A loop may have inputs that its body does not use; the
// first two inputs of a Loop are its trip count and its condition.
bool Uses(const ir::Node& reader, const ir::Node* node) {
  for (size_t i = 0; i < reader.inputs.size(); ++i) {
    if (reader.inputs[i].node != node) continue;
    if (!ir::Iterates(reader) || (ir::IsLoop(reader) && i < 2)) return true;
    for (const ir::Body& body : reader.bodies) {
      if (std::ranges::count(body.map.inputs, i, &ir::BodyInput::input) > 0) return true;
    }
  }
  return false;
}

// Returns the nodes whose results only initial values of states depend on.
std::set<const ir::Node*> OnlyInitial(const ir::Graph& graph) {
  const auto readers = Readers(graph);
  std::set<const ir::Node*> only;
  const std::vector<ir::Node*> nodes = ir::Topological(graph);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const std::vector<ir::Node*>& of_node = ReadersIn(readers, **node);
    const bool is_only =
        !of_node.empty() && std::ranges::all_of(of_node, [&](const ir::Node* reader) {
          return ir::IsReadValue(*reader) || only.contains(reader) || !Uses(*reader, *node);
        });
    if (is_only) only.insert(*node);
  }
  return only;
}

}  // namespace

void DescribePorts(const ir::Graph& graph, const TimeAxes& times, Streamed& streamed) {
  const std::set<const ir::Node*> only_initial = OnlyInitial(graph);
  for (ir::Node* parameter : graph.parameters) {
    StreamedPort port = PortOf({parameter, 0}, parameter->name, times, streamed);
    port.is_initial = !port.HasTime() && only_initial.contains(parameter);
    streamed.inputs.push_back(std::move(port));
  }
  const std::set<const ir::Node*> after = AfterTime(times);
  for (const ir::Node* result : graph.results) {
    StreamedPort port = PortOf(result->inputs[0], result->name, times, streamed);
    if (!port.HasTime() && after.contains(result)) port.row.mutate_time(format::PortTime::so_far);
    port.row.mutate_latency(Narrow32(LatencyOf(*result), "latency"));
    streamed.outputs.push_back(std::move(port));
  }
}

}  // namespace weft::graph
