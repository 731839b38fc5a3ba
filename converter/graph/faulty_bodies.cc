// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>

#include "converter/graph/graph_passes.h"

namespace weft::graph {

std::vector<ir::Node*> FaultyBodies(const ir::Graph& graph) {
  std::set<const ir::Node*> sound;
  for (const ir::Node* node : ir::Topological(graph)) {
    const auto is_sound = [&](const ir::Source& source) { return sound.contains(source.node); };
    if (!node->type.empty() && std::ranges::all_of(node->inputs, is_sound)) sound.insert(node);
  }
  std::vector<ir::Node*> faulty;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (!node->bodies.empty() && !sound.contains(node.get())) faulty.push_back(node.get());
  }
  return faulty;
}

}  // namespace weft::graph
