// SPDX-License-Identifier: Apache-2.0
// Finds cycles of layers and adds one fault per cycle. A cycle is skipped if both layers of its
// closing edge are in a reported cycle.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "converter/base/visible.h"
#include "converter/ir/reading.h"

namespace weft::ir {
namespace {

constexpr size_t kMaxNamed = 8;

class CycleFinder {
 public:
  CycleFinder(const Graph& graph, Faults& faults) : graph_(graph), faults_(faults) {}

  // Depth first from consumer to producer; a producer on the path closes a cycle.
  void From(const Node* root) {
    if (!Open(root)) return;
    while (!path_.empty()) {
      const size_t top = path_.size() - 1;
      const Node* node = path_[top].node;
      if (path_[top].next_input == node->inputs.size()) {
        on_path_.erase(node);
        path_.pop_back();
        continue;
      }
      const Node* source = node->inputs[path_[top].next_input++].node;
      if (source == nullptr || Open(source)) continue;
      if (const auto found = on_path_.find(source); found != on_path_.end()) Report(found->second);
    }
  }

 private:
  struct Frame {
    const Node* node;
    size_t next_input;
  };

  bool Open(const Node* node) {
    if (!seen_.insert(node).second) return false;
    on_path_[node] = path_.size();
    path_.push_back({node, 0});
    return true;
  }

  // The cycle: path_[first] is an input of the last node of the path, ..., which is an input of
  // path_[first + 1], which is an input of path_[first].
  void Report(size_t first) {
    if (reported_.contains(path_[first].node) && reported_.contains(path_.back().node)) return;
    std::string through;
    size_t named = 0;
    for (size_t i = path_.size(); i-- > first + 1; ++named) {
      const Node& node = *path_[i].node;
      reported_.insert(&node);
      if (named >= kMaxNamed) continue;
      through += fmt::format("{}layer {} \"{}\" ({})", named == 0 ? " through " : ", ", node.id,
                             OneLine(node.name), OneLine(node.type));
    }
    if (named > kMaxNamed) through += fmt::format(" and {} more", named - kMaxNamed);
    reported_.insert(path_[first].node);
    faults_.Add(fmt::format("{}: feeds itself{}; edges must not form a cycle",
                            Where(graph_, *path_[first].node), through));
  }

  const Graph& graph_;
  Faults& faults_;
  std::vector<Frame> path_;
  std::unordered_map<const Node*, size_t> on_path_;
  std::unordered_set<const Node*> seen_, reported_;
};

}  // namespace

void ReportCycles(const Graph& graph, Faults& faults) {
  CycleFinder finder(graph, faults);
  for (const auto& node : graph.nodes) finder.From(node.get());
}

}  // namespace weft::ir
