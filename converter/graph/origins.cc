// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/origins.h"

#include <algorithm>
#include <memory>

#include "converter/graph/infer.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {

Origins::Origins(const ir::Graph& graph) {
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (node->constant) continue;
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const ir::Source source = {node.get(), port};
      origins_[{node->id, node->name, FoldedFrom(source).at(kFoldedFrom)}].push_back(source);
    }
  }
}

ir::Source Origins::Of(const ir::Node& constant) const {
  const auto folded_from = constant.attributes.find(kFoldedFrom);
  if (folded_from == constant.attributes.end()) return {};
  const auto found = origins_.find({constant.id, constant.name, folded_from->second});
  if (found == origins_.end()) return {};
  const auto alike = std::find_if(
      found->second.rbegin(), found->second.rend(),
      [&](const ir::Source& source) { return TypeOf(source) == constant.outputs[0].type; });
  return alike == found->second.rend() ? found->second.back() : *alike;
}

}  // namespace weft::graph
