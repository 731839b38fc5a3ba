// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/prune_loop.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "converter/graph/recognise/scalars.h"

namespace weft::graph {
namespace {

// Grows from the Results that are outputs or the condition, over back edges, until nothing is new.
class Needed {
 public:
  explicit Needed(const ir::Node& loop) : body_(loop.bodies[0]) {
    const ir::Body& body = body_;
    if (MayRunNothing(loop)) AddStatesOfOutputs();
    for (const ir::Node* sink : body.graph->sinks) Add(sink);
    for (const ir::PortMapEntry& entry : body.outputs) AddResult(entry.internal_layer_id);
    for (size_t before = 0; before != nodes_.size();) {
      before = nodes_.size();
      for (const ir::BackEdge& edge : body.back_edges) {
        const bool read = std::ranges::any_of(body.graph->parameters, [&](const ir::Node* node) {
          return node->id == edge.to_layer && nodes_.contains(node);
        });
        if (read) AddResult(edge.from_layer);
      }
    }
  }

  bool operator()(const ir::Node* node) const { return nodes_.contains(node); }

 private:
  static bool MayRunNothing(const ir::Node& loop) {
    return ir::IsLoop(loop) && IntOf(loop.inputs[1]).value_or(0) == 0;
  }

  // After no iteration an output that is carried has the initial value of the state it feeds.
  void AddStatesOfOutputs() {
    for (const ir::BackEdge& edge : body_.back_edges) {
      const bool is_output = std::ranges::any_of(body_.outputs, [&](const ir::PortMapEntry& entry) {
        return entry.internal_layer_id == edge.from_layer && entry.external_port_id >= 0;
      });
      for (const ir::Node* parameter : body_.graph->parameters) {
        if (is_output && parameter->id == edge.to_layer) Add(parameter);
      }
    }
  }

  void AddResult(int64_t id) {
    for (const ir::Node* result : body_.graph->results) {
      if (result->id == id) Add(result);
    }
  }

  void Add(const ir::Node* root) {
    std::vector<const ir::Node*> open = {root};
    while (!open.empty()) {
      const ir::Node* node = open.back();
      open.pop_back();
      if (!nodes_.insert(node).second) continue;
      for (const ir::Source& source : node->inputs) open.push_back(source.node);
    }
  }

  const ir::Body& body_;
  std::set<const ir::Node*> nodes_;
};

bool HasId(const std::vector<ir::Node*>& nodes, int64_t id) {
  return std::ranges::any_of(nodes, [&](const ir::Node* node) { return node->id == id; });
}

// Inputs that no entry names go, and later ones move up.
void DropInputs(ir::Node& loop) {
  std::vector<ir::PortMapEntry>& entries = loop.bodies[0].inputs;
  const size_t kept = ir::IsLoop(loop) ? 2 : 0;
  for (size_t i = loop.inputs.size(); i-- > kept;) {
    const auto index = static_cast<int64_t>(i);
    const bool used = std::ranges::any_of(
        entries, [&](const ir::PortMapEntry& entry) { return entry.external_port_id == index; });
    if (used) continue;
    loop.inputs.erase(loop.inputs.begin() + index);
    if (i < loop.declared_inputs.size()) {
      loop.declared_inputs.erase(loop.declared_inputs.begin() + index);
    }
    for (ir::PortMapEntry& entry : entries) {
      if (entry.external_port_id > index) --entry.external_port_id;
    }
  }
}

}  // namespace

void PruneLoop(ir::Node& loop) {
  ir::Body& body = loop.bodies[0];
  ir::Graph& graph = *body.graph;
  const Needed needed(loop);
  std::erase_if(graph.results, [&](const ir::Node* node) { return !needed(node); });
  std::erase_if(graph.parameters, [&](const ir::Node* node) { return !needed(node); });
  std::erase_if(body.inputs, [&](const ir::PortMapEntry& entry) {
    return !HasId(graph.parameters, entry.internal_layer_id);
  });
  std::erase_if(body.back_edges,
                [&](const ir::BackEdge& edge) { return !HasId(graph.parameters, edge.to_layer); });
  std::erase_if(graph.nodes,
                [&](const std::unique_ptr<ir::Node>& node) { return !needed(node.get()); });
  DropInputs(loop);
}

}  // namespace weft::graph
