// SPDX-License-Identifier: Apache-2.0
// Control flow. IF becomes If, WHILE becomes Loop: the condition is computed before the loop for
// the first iteration, and at the end of the body for the next one.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "converter/ir/edit.h"
#include "converter/tflite/builder.h"

namespace weft::tflite {
namespace {

// Moves the nodes of `part` to `graph` with `inputs` instead of its Parameters. Returns its
// results.
Sources Inlined(ir::Graph& graph, std::unique_ptr<ir::Graph> part, const Sources& inputs) {
  std::map<const ir::Node*, ir::Source> given;
  for (size_t i = 0; i < part->parameters.size(); ++i) given[part->parameters[i]] = inputs[i];
  Sources results;
  for (const std::unique_ptr<ir::Node>& node : part->nodes) {
    for (ir::Source& source : node->inputs) {
      const auto found = given.find(source.node);
      if (found != given.end()) source = found->second;
    }
  }
  for (const ir::Node* result : part->results) results.push_back(result->inputs[0]);
  std::erase_if(part->nodes, [](const std::unique_ptr<ir::Node>& node) {
    return ir::IsParameter(*node) || ir::IsResult(*node);
  });
  std::ranges::move(part->nodes, std::back_inserter(graph.nodes));
  return results;
}

// The subgraph as a body whose Parameter i reads input first + i of the layer; null after a fault.
std::unique_ptr<ir::Graph> BodyOf(Builder& b, int32_t subgraph, size_t inputs, size_t outputs) {
  std::unique_ptr<ir::Graph> graph = b.Body(subgraph);
  if (graph == nullptr) return nullptr;
  if (graph->parameters.size() != inputs || graph->results.size() != outputs) {
    b.Refuse("subgraph {} has {} inputs and {} outputs; must have {} and {}", subgraph,
             graph->parameters.size(), graph->results.size(), inputs, outputs);
    return nullptr;
  }
  return graph;
}

ir::Node& NewResult(ir::Graph& graph, const ir::Node& like, ir::Source source) {
  ir::Node& result = *graph.nodes.emplace_back(ir::MakeNode(like));
  result.type = "Result";
  result.version = "opset1";
  result.inputs = {source};
  result.declared_inputs.resize(1);
  graph.results.push_back(&result);
  return result;
}

}  // namespace

void If(Builder& b) {
  const auto& options = b.Options<schema::IfOptions>();
  const size_t inputs = b.input_count() == 0 ? 0 : b.input_count() - 1;
  std::vector<ir::Body> branches;
  for (const int32_t index : {options.then_subgraph_index(), options.else_subgraph_index()}) {
    ir::Body branch;
    branch.graph = BodyOf(b, index, inputs, b.output_count());
    if (branch.graph == nullptr) return;
    for (size_t i = 0; i < inputs; ++i) {
      branch.map.inputs.push_back({.parameter = branch.graph->parameters[i], .input = i + 1});
    }
    for (size_t i = 0; i < b.output_count(); ++i) {
      branch.map.outputs.push_back(
          {.result = branch.graph->results[i], .port_id = static_cast<int64_t>(i)});
    }
    branches.push_back(std::move(branch));
  }
  ir::Node& node = b.AddNode("If", "opset8", {}, b.Inputs(), b.output_count());
  node.bodies = std::move(branches);
  for (uint32_t i = 0; i < b.output_count(); ++i) b.Set(i, {&node, i});
}

void While(Builder& b) {
  const auto& options = b.Options<schema::WhileOptions>();
  const size_t count = b.input_count();
  if (b.output_count() != count) {
    return b.Refuse("has {} inputs and {} outputs; must have as many outputs as inputs", count,
                    b.output_count());
  }
  ir::Body body;
  body.graph = BodyOf(b, options.body_subgraph_index(), count, count);
  auto first = BodyOf(b, options.cond_subgraph_index(), count, 1);
  auto next = BodyOf(b, options.cond_subgraph_index(), count, 1);
  if (body.graph == nullptr || first == nullptr || next == nullptr) return;
  const Sources states = b.Inputs();
  Sources inputs = {b.Int(-1), Inlined(b.graph(), std::move(first), states)[0]};
  inputs.insert(inputs.end(), states.begin(), states.end());
  Sources values;
  for (const ir::Node* result : body.graph->results) values.push_back(result->inputs[0]);
  const ir::Node& like = *body.graph->results[0];
  const ir::Source goes_on = Inlined(*body.graph, std::move(next), values)[0];
  for (size_t i = 0; i < count; ++i) {
    ir::Node* result = body.graph->results[i];
    body.map.inputs.push_back(
        {.parameter = body.graph->parameters[i], .input = i + 2, .next = result});
    body.map.outputs.push_back({.result = result, .port_id = static_cast<int64_t>(i)});
  }
  body.map.condition = &NewResult(*body.graph, like, goes_on);
  ir::Node& node = b.AddNode("Loop", "opset5", {}, inputs, count);
  node.bodies.push_back(std::move(body));
  for (uint32_t i = 0; i < count; ++i) b.Set(i, {&node, i});
}

// A composite of StableHLO names a subgraph with the same meaning.
void StableHloComposite(Builder& b) {
  const auto* options = b.op().table->options_2_as_StableHloCompositeOptions();
  if (options == nullptr) return b.Refuse("has no options; must name its subgraph");
  auto part = BodyOf(b, options->decomposition_subgraph_index(), b.input_count(), b.output_count());
  if (part == nullptr) return;
  const Sources results = Inlined(b.graph(), std::move(part), b.Inputs());
  for (size_t i = 0; i < results.size(); ++i) b.Set(i, results[i]);
}

}  // namespace weft::tflite
