// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/parts.h"
#include "converter/ir/edit.h"

namespace weft::graph {
namespace {

// Moves the nodes of the body to the graph, and connects readers of its Parameters to the layer's
// inputs.
void TakeBranch(ir::Graph& graph, ir::Node& layer, ir::Body& body) {
  std::map<const ir::Node*, ir::Source> outside;
  for (const ir::BodyInput& input : body.map.inputs) {
    outside[input.parameter] = layer.inputs[*input.input];
  }
  for (std::unique_ptr<ir::Node>& node : body.graph->nodes) {
    for (ir::Source& source : node->inputs) {
      const auto found = outside.find(source.node);
      if (found != outside.end()) source = found->second;
    }
  }
  for (size_t i = 0; i < body.map.outputs.size(); ++i) {
    ir::Source made = body.map.outputs[i].result->inputs[0];
    const bool is_outside = std::ranges::any_of(
        outside, [&](const auto& input) { return input.second.node == made.node; });
    if (is_outside) made = NewOperation(graph, layer, "Identity", 16, {made});
    ir::HandOver(graph, {&layer, Narrow32(i, "output")}, made);
  }
  for (std::unique_ptr<ir::Node>& node : body.graph->nodes) {
    if (!ir::IsResult(*node) && !ir::IsParameter(*node)) graph.nodes.push_back(std::move(node));
  }
  Become(layer, "Identity", 16, {layer.inputs[0]});  // without readers
  layer.bodies.clear();
  layer.outputs.resize(1);
  layer.outputs[0].type = TypeOf(layer.inputs[0]);
}

}  // namespace

void TakeKnownBranches(ir::Graph& graph) {
  for (size_t at = 0; at < graph.nodes.size(); ++at) {  // nodes of a branch are appended
    ir::Node& node = *graph.nodes[at];
    if (!ir::IsIf(node) || node.inputs.empty() || node.bodies.size() != 2) continue;
    const std::vector<int64_t> condition = IntsOf(node.inputs[0]);
    if (condition.size() != 1) continue;
    ir::Body& body = node.bodies[condition[0] != 0 ? 0 : 1];
    if (!body.graph->sinks.empty()) continue;
    ir::Body taken = std::move(body);
    TakeBranch(graph, node, taken);
  }
}

}  // namespace weft::graph
