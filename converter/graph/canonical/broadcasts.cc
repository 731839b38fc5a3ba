// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <vector>

#include "converter/graph/canonical/canonical.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

bool RepeatsNothing(const ir::Node& node) {
  if (!IsCalled(node, "Broadcast") || node.inputs[0].node->constant) return false;
  const ir::Source& data = node.inputs[0];
  const ir::OutputPort &from = data.node->outputs[data.port], &to = node.outputs[0];
  return from.type == to.type && from.doubled == to.doubled &&
         from.run_time_extent == to.run_time_extent;
}

}  // namespace

void DropEqualBroadcasts(ir::Graph& graph) {
  const std::map<const ir::Node*, std::vector<ir::Node*>> readers = Readers(graph);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) DropEqualBroadcasts(*body.graph);
    const auto found = readers.find(node);
    if (found == readers.end() || !RepeatsNothing(*node)) continue;
    for (ir::Node* reader : found->second) {
      if (ir::IsResult(*reader)) continue;  // the output has the name of the Broadcast
      for (ir::Source& input : reader->inputs) {
        if (input.node == node) input = node->inputs[0];
      }
    }
  }
}

}  // namespace weft::graph
