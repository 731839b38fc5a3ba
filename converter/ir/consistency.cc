// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace weft::ir {
namespace {

using Nodes = std::unordered_set<const Node*>;

std::string InputFault(const Graph& graph, const Nodes& nodes, const Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Source& source = node.inputs[i];
    if (!nodes.contains(source.node)) {
      return fmt::format("{}: input {} comes from outside the graph", Where(graph, node), i);
    }
    if (source.port >= source.node->outputs.size()) {
      return fmt::format("{}: input {} is output {} of a layer with {}", Where(graph, node), i,
                         source.port, source.node->outputs.size());
    }
  }
  return "";
}

bool IsIn(const std::vector<Node*>& list, const Node* node) {
  return std::ranges::find(list, node) != list.end();
}

std::string MapFault(const Node& node, const Body& body) {
  const std::vector<Node*>& parameters = body.graph->parameters;
  const std::vector<Node*>& results = body.graph->results;
  for (const BodyInput& input : body.map.inputs) {
    if (!IsIn(parameters, input.parameter)) return "the port map names a foreign Parameter";
    if (input.next != nullptr && !IsIn(results, input.next)) return "a back edge is foreign";
    if (input.input && *input.input >= node.inputs.size()) return "the port map names no input";
  }
  for (const BodyOutput& output : body.map.outputs) {
    if (!IsIn(results, output.result)) return "the port map names a foreign Result";
  }
  if (body.map.outputs.size() != node.outputs.size()) {
    return fmt::format("the port map has {} outputs and the layer {}", body.map.outputs.size(),
                       node.outputs.size());
  }
  const Node* condition = body.map.condition;
  return condition == nullptr || IsIn(results, condition) ? "" : "the condition is foreign";
}

std::string ListFault(const Graph& graph, const Nodes& nodes) {
  const auto check = [&](const std::vector<Node*>& list, const char* name, auto is_one) {
    const bool is_true = std::ranges::all_of(
        list, [&](const Node* node) { return nodes.contains(node) && is_one(*node); });
    return is_true ? "" : fmt::format("{}: the list of {} holds another node", graph.file, name);
  };
  if (std::string fault = check(graph.parameters, "Parameters", IsParameter); !fault.empty()) {
    return fault;
  }
  if (std::string fault = check(graph.results, "Results", IsResult); !fault.empty()) return fault;
  return check(graph.sinks, "sinks", IsAssign);
}

}  // namespace

std::string InconsistencyIn(const Graph& graph) {
  Nodes nodes;
  for (const auto& node : graph.nodes) nodes.insert(node.get());
  if (std::string fault = ListFault(graph, nodes); !fault.empty()) return fault;
  for (const auto& node : graph.nodes) {
    if (std::string fault = InputFault(graph, nodes, *node); !fault.empty()) return fault;
    for (const Body& body : node->bodies) {
      if (const std::string fault = MapFault(*node, body); !fault.empty()) {
        return Where(graph, *node) + ": " + fault;
      }
      if (std::string fault = InconsistencyIn(*body.graph); !fault.empty()) return fault;
    }
  }
  return "";
}

}  // namespace weft::ir
