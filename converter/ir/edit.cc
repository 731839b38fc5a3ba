// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/edit.h"

#include <map>
#include <vector>

namespace weft::ir {

std::unique_ptr<Node> MakeNode(const Node& like) {
  auto node = std::make_unique<Node>();
  node->id = like.id;
  node->line = like.line;
  node->name = like.name;
  return node;
}

std::unique_ptr<Node> CopyOf(const Node& node) {
  std::unique_ptr<Node> copy = MakeNode(node);
  copy->type = node.type;
  copy->version = node.version;
  copy->attributes = node.attributes;
  copy->inputs = node.inputs;
  copy->declared_inputs = node.declared_inputs;
  copy->outputs = node.outputs;
  copy->constant = node.constant;
  copy->operation = node.operation;
  for (const Body& body : node.bodies) {
    copy->bodies.push_back(
        {CopyOf(*body.graph), body.inputs, body.outputs, body.back_edges, body.trips});
  }
  return copy;
}

std::unique_ptr<Graph> CopyOf(const Graph& graph) {
  auto copy = std::make_unique<Graph>();
  copy->name = graph.name;
  copy->file = graph.file;
  std::map<const Node*, Node*> copies;
  for (const std::unique_ptr<Node>& node : graph.nodes) {
    copy->nodes.push_back(CopyOf(*node));
    copies[node.get()] = copy->nodes.back().get();
  }
  for (const std::unique_ptr<Node>& node : copy->nodes) {
    for (Source& source : node->inputs) source.node = copies.at(source.node);
  }
  const auto copied = [&](const std::vector<Node*>& nodes) {
    std::vector<Node*> list;
    for (const Node* node : nodes) list.push_back(copies.at(node));
    return list;
  };
  copy->parameters = copied(graph.parameters);
  copy->results = copied(graph.results);
  copy->sinks = copied(graph.sinks);
  return copy;
}

}  // namespace weft::ir
