// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/layer_outputs.h"

#include <map>

#include "converter/graph/rewrite.h"

namespace weft::graph {

void AddLayerOutputs(ir::Graph& graph, const std::vector<LayerOutput>& outputs) {
  std::map<int64_t, ir::Node*> layers;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) layers.emplace(node->id, node.get());
  for (const LayerOutput& output : outputs) {
    const auto layer = layers.find(output.layer);
    if (layer == layers.end() || output.port >= layer->second->outputs.size()) continue;
    NewResult(graph, *layer->second, {layer->second, output.port});
  }
}

}  // namespace weft::graph
