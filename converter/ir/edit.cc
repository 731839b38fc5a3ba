// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/edit.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace weft::ir {
namespace {

using Copies = std::map<const Node*, Node*>;

Node* CopyIn(const Copies& copies, const Node* node) {
  return node == nullptr ? nullptr : copies.at(node);
}

std::unique_ptr<Graph> CopyOf(const Graph& graph, Copies& copies) {
  auto copy = std::make_unique<Graph>();
  copy->name = graph.name;
  copy->file = graph.file;
  for (const std::unique_ptr<Node>& node : graph.nodes) {
    copy->nodes.push_back(ir::CopyOf(*node));
    copies[node.get()] = copy->nodes.back().get();
  }
  for (const std::unique_ptr<Node>& node : copy->nodes) {
    for (Source& source : node->inputs) source.node = copies.at(source.node);
    for (OutputPort& port : node->outputs) {
      if (port.run_time_extent)
        port.run_time_extent->maker = copies.at(port.run_time_extent->maker);
    }
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

Body CopyOf(const Body& body) {
  Copies copies;
  Body copy{CopyOf(*body.graph, copies), body.map, body.trips, body.max_trips};
  for (BodyInput& input : copy.map.inputs) {
    input.parameter = CopyIn(copies, input.parameter);
    input.next = CopyIn(copies, input.next);
  }
  for (BodyOutput& output : copy.map.outputs) output.result = CopyIn(copies, output.result);
  copy.map.condition = CopyIn(copies, copy.map.condition);
  return copy;
}

}  // namespace

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
  copy->bounds = node.bounds;
  copy->operation = node.operation;
  for (const Body& body : node.bodies) copy->bodies.push_back(CopyOf(body));
  return copy;
}

std::unique_ptr<Graph> CopyOf(const Graph& graph) {
  Copies copies;
  return CopyOf(graph, copies);
}

void HandOver(Graph& graph, Source from, Source to) {
  for (const std::unique_ptr<Node>& node : graph.nodes) {
    for (Source& source : node->inputs) {
      if (source == from) source = to;
    }
  }
  to.node->outputs[to.port].names = std::move(from.node->outputs[from.port].names);
}

size_t AddInput(Node& layer, Source source) {
  layer.inputs.push_back(source);
  return layer.inputs.size() - 1;
}

void AddSlice(Node& loop, size_t input, Node& parameter, const ChunkRange& range) {
  loop.bodies[0].map.inputs.push_back({.parameter = &parameter, .input = input, .range = range});
}

size_t AddOutput(Node& loop, Node& result) {
  std::vector<BodyOutput>& outputs = loop.bodies[0].map.outputs;
  const int64_t last = outputs.empty() ? -1 : outputs.back().port_id;
  outputs.push_back({.result = &result, .port_id = last + 1});
  const Source& source = result.inputs[0];
  OutputPort port;
  port.type = TypeOf(source);
  loop.outputs.push_back(std::move(port));
  return loop.outputs.size() - 1;
}

void RemoveFromBody(Body& body, const std::function<bool(const Node&)>& needed) {
  Graph& graph = *body.graph;
  for (BodyInput& input : body.map.inputs) {
    if (input.next != nullptr && !needed(*input.next)) input.next = nullptr;
  }
  std::erase_if(body.map.inputs, [&](const BodyInput& input) { return !needed(*input.parameter); });
  std::erase_if(graph.results, [&](const Node* node) { return !needed(*node); });
  std::erase_if(graph.parameters, [&](const Node* node) { return !needed(*node); });
  std::erase_if(graph.nodes, [&](const std::unique_ptr<Node>& node) { return !needed(*node); });
}

void RemoveUnusedInputs(Node& loop) {
  PortMap& map = loop.bodies[0].map;
  const size_t kept = IsLoop(loop) ? 2 : 0;
  for (size_t i = loop.inputs.size(); i-- > kept;) {
    if (map.Takes(i)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    loop.inputs.erase(loop.inputs.begin() + at);
    if (i < loop.declared_inputs.size()) {
      loop.declared_inputs.erase(loop.declared_inputs.begin() + at);
    }
    for (BodyInput& input : map.inputs) {
      if (input.input && *input.input > i) --*input.input;
    }
  }
}

void RemoveUnreadOutputs(Graph& graph, Node& loop) {
  std::set<uint32_t> read;
  for (const Node* node : Topological(graph)) {
    for (const Source& source : node->inputs) {
      if (source.node == &loop) read.insert(source.port);
    }
  }
  std::vector<BodyOutput>& outputs = loop.bodies[0].map.outputs;
  for (size_t i = loop.outputs.size(); i-- > 0;) {
    if (read.contains(static_cast<uint32_t>(i))) continue;
    loop.outputs.erase(loop.outputs.begin() + static_cast<std::ptrdiff_t>(i));
    outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(i));
    // Unused nodes may still read the output.
    for (const std::unique_ptr<Node>& node : graph.nodes) {
      for (Source& source : node->inputs) {
        if (source.node == &loop && source.port > 0) source.port -= source.port >= i;
      }
    }
  }
}

}  // namespace weft::ir
