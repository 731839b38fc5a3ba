// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/origins.h"

#include <memory>

#include "converter/graph/infer.h"

namespace weft::graph {

Origins::Origins(const ir::Graph& graph) {
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (node->constant) continue;
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const ir::Source source = {node.get(), port};
      origins_[{node->id, node->name, FoldedFrom(source).at(kFoldedFrom)}] = source;
    }
  }
}

ir::Source Origins::Of(const ir::Node& constant) const {
  const auto folded_from = constant.attributes.find(kFoldedFrom);
  if (folded_from == constant.attributes.end()) return {};
  const auto found = origins_.find({constant.id, constant.name, folded_from->second});
  return found == origins_.end() ? ir::Source() : found->second;
}

}  // namespace weft::graph
