// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/canonical/canonical.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {

void DropEqualBroadcasts(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) DropEqualBroadcasts(*body.graph);
    if (!IsCalled(*node, "Broadcast")) continue;
    const ir::Source data = node->inputs[0];
    const ir::OutputPort &from = data.node->outputs[data.port], &to = node->outputs[0];
    const bool is_equal = from.type == to.type && from.doubled == to.doubled &&
                          from.run_time_extent == to.run_time_extent;
    if (is_equal && !data.node->constant) Become(*node, "Identity", 16, {data});
  }
}

}  // namespace weft::graph
