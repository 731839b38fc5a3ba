// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/copy_graph.h"

#include <map>
#include <vector>

namespace weft::graph {

std::unique_ptr<ir::Node> CopyOf(const ir::Node& node) {
  auto copy = std::make_unique<ir::Node>();
  copy->id = node.id;
  copy->line = node.line;
  copy->name = node.name;
  copy->type = node.type;
  copy->version = node.version;
  copy->attributes = node.attributes;
  copy->inputs = node.inputs;
  copy->declared_inputs = node.declared_inputs;
  copy->outputs = node.outputs;
  copy->constant = node.constant;
  copy->operation = node.operation;
  for (const ir::Body& body : node.bodies) {
    copy->bodies.push_back(
        {CopyOf(*body.graph), body.inputs, body.outputs, body.back_edges, body.trips});
  }
  return copy;
}

std::unique_ptr<ir::Graph> CopyOf(const ir::Graph& graph) {
  auto copy = std::make_unique<ir::Graph>();
  copy->name = graph.name;
  copy->file = graph.file;
  std::map<const ir::Node*, ir::Node*> copies;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    copy->nodes.push_back(CopyOf(*node));
    copies[node.get()] = copy->nodes.back().get();
  }
  for (const std::unique_ptr<ir::Node>& node : copy->nodes) {
    for (ir::Source& source : node->inputs) source.node = copies.at(source.node);
  }
  const auto copied = [&](const std::vector<ir::Node*>& nodes) {
    std::vector<ir::Node*> list;
    for (const ir::Node* node : nodes) list.push_back(copies.at(node));
    return list;
  };
  copy->parameters = copied(graph.parameters);
  copy->results = copied(graph.results);
  copy->sinks = copied(graph.sinks);
  return copy;
}

}  // namespace weft::graph
