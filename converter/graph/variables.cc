// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <string>

#include "converter/base/visible.h"
#include "converter/graph/graph_passes.h"

namespace weft::graph {
namespace {

class Owners {
 public:
  explicit Owners(Faults& faults) : faults_(faults) {}

  // `owner` identifies the graph.
  void Visit(const ir::Graph& graph, const void* owner) {
    for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
      const auto id = node->attributes.find("variable_id");
      const bool uses = ir::IsReadValue(*node) || ir::IsAssign(*node);
      if (uses && id != node->attributes.end()) Claim(graph, *node, id->second, owner);
      for (const ir::Body& body : node->bodies) {
        const void* whole = body.graph.get();
        Visit(*body.graph, ir::IsIf(*node) ? node.get() : whole);
      }
    }
  }

  bool agreed() const { return agreed_; }

 private:
  struct Use {
    const void* owner;
    const ir::Node* node;
  };

  void Claim(const ir::Graph& graph, const ir::Node& node, const std::string& id,
             const void* owner) {
    const auto [found, added] = uses_.try_emplace(id, Use{owner, &node});
    if (added || found->second.owner == owner) return;
    agreed_ = false;
    faults_.Add(
        fmt::format("{}: variable \"{}\" is also used in another body, by layer {} \"{}\" ({}); "
                    "all reads and assignments of a variable must be in one body",
                    ir::Where(graph, node), OneLine(id), found->second.node->id,
                    OneLine(found->second.node->name), found->second.node->type));
  }

  Faults& faults_;
  std::map<std::string, Use> uses_;
  bool agreed_ = true;
};

}  // namespace

bool CheckVariables(const ir::Graph& graph, Faults& faults) {
  Owners owners(faults);
  owners.Visit(graph, &graph);
  return owners.agreed();
}

}  // namespace weft::graph
