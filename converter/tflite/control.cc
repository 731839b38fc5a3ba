// SPDX-License-Identifier: Apache-2.0
// Control flow. IF becomes If, WHILE becomes Loop: the condition is computed before the loop for
// the first iteration, and at the end of the body for the next one.
#include "converter/tflite/control.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/ir/edit.h"

namespace weft::tflite {
namespace {

// The values of states, by name.
using States = std::map<std::string, ir::Source>;

// Moves the nodes of `part` to `graph` with `inputs` instead of its Parameters. Returns its
// results, and updates the values of its states.
Sources Inlined(ir::Graph& graph, Inner part, const Sources& inputs, States& states) {
  std::map<const ir::Node*, ir::Source> given;
  for (size_t i = 0; i < inputs.size(); ++i) given[part.graph->parameters[i]] = inputs[i];
  for (const auto& [name, state] : part.states) given[state.before] = states.at(name);
  for (const std::unique_ptr<ir::Node>& node : part.graph->nodes) {
    for (ir::Source& source : node->inputs) {
      const auto found = given.find(source.node);
      if (found != given.end()) source = found->second;
    }
  }
  Sources results;
  for (const ir::Node* result : part.graph->results) results.push_back(result->inputs[0]);
  for (const auto& [name, state] : part.states) states[name] = state.after->inputs[0];
  std::erase_if(part.graph->nodes, [](const std::unique_ptr<ir::Node>& node) {
    return ir::IsParameter(*node) || ir::IsResult(*node);
  });
  std::ranges::move(part.graph->nodes, std::back_inserter(graph.nodes));
  return results;
}

// The subgraph, whose Parameter i reads input first + i of the layer; without a graph after a
// fault.
Inner BodyOf(Builder& b, int32_t subgraph, size_t inputs, size_t outputs) {
  Inner body = b.Body(subgraph);
  if (body.graph == nullptr) return {};
  const size_t has_inputs = body.graph->parameters.size() - body.states.size();
  const size_t has_outputs = body.graph->results.size() - body.states.size();
  if (has_inputs != inputs || has_outputs != outputs) {
    b.Refuse("subgraph {} has {} inputs and {} outputs; must have {} and {}", subgraph, has_inputs,
             has_outputs, inputs, outputs);
    return {};
  }
  return body;
}

// A node with the id of another node of the graph.
std::unique_ptr<ir::Node> NodeOf(const ir::Graph& graph, const std::string& name) {
  auto node = graph.nodes.empty() ? std::make_unique<ir::Node>() : ir::MakeNode(*graph.nodes[0]);
  node->name = name;
  return node;
}

ir::Node& NewResult(ir::Graph& graph, const std::string& name, ir::Source source) {
  ir::Node& result = *graph.nodes.emplace_back(NodeOf(graph, name));
  result.type = "Result";
  result.version = "opset1";
  result.inputs = {source};
  result.declared_inputs.resize(1);
  graph.results.push_back(&result);
  return result;
}

// The state in a body; one that does not use it keeps its value.
InnerState& StateIn(Inner& body, const std::string& name, const ir::Constant& initial) {
  const auto found = body.states.find(name);
  if (found != body.states.end()) return found->second;
  ir::Node& before = *body.graph->nodes.emplace_back(NodeOf(*body.graph, name));
  before.type = "Parameter";
  before.version = "opset1";
  before.outputs.resize(1);
  before.outputs[0].type = initial.type;
  before.outputs[0].declared = true;
  for (const int64_t dim : initial.type.dims) before.bounds.push_back({dim, dim});
  body.graph->parameters.push_back(&before);
  ir::Node& after = NewResult(*body.graph, name, {&before, 0});
  return body.states[name] = {initial, &before, &after};
}

// Returns true if a node of the body reads the state before it is assigned.
bool Reads(const Inner& body, const InnerState& state) {
  return std::ranges::any_of(body.graph->nodes, [&](const std::unique_ptr<ir::Node>& node) {
    return node.get() != state.after && std::ranges::any_of(node->inputs, [&](const auto& source) {
             return source.node == state.before;
           });
  });
}

// The current values of the states that the subgraphs use.
States ValuesOf(Builder& b, std::initializer_list<const Inner*> bodies) {
  States values;
  for (const Inner* body : bodies) {
    for (const auto& [name, state] : body->states) {
      if (state.is_assumed && Reads(*body, state)) WarnOfZeros(b, name);
      values[name] = b.State(name, b.Const(state.initial), state.is_assumed);
    }
  }
  return values;
}

// The constant with which a state of one of the subgraphs starts.
const ir::Constant& InitialOf(const std::string& name, const Inner& first, const Inner& second) {
  const auto found = first.states.find(name);
  return found != first.states.end() ? found->second.initial : second.states.at(name).initial;
}

Sources PortInputs(Builder& b, size_t first) {
  Sources inputs;
  for (size_t i = first; i < b.input_count(); ++i) inputs.push_back(b.PortInput(i));
  return inputs;
}

// Sets the outputs of the operator, and the values of the states after them.
void SetResults(Builder& b, ir::Node& node, const States& states) {
  uint32_t port = 0;
  for (; port < b.output_count(); ++port) b.SetPort(port, {&node, port});
  for (const auto& [name, value] : states) b.SetState(name, {&node, port++});
}

}  // namespace

ir::Node& AddIf(Builder& b, Sources inputs, Branch (&branches)[2], size_t outputs) {
  const States states = ValuesOf(b, {&branches[0].inner, &branches[1].inner});
  const size_t first_state = inputs.size();
  for (const auto& [name, value] : states) inputs.push_back(value);
  ir::Node& node = b.AddNode("If", "opset8", {}, inputs, outputs + states.size());
  std::map<std::string, ir::Constant> initials;
  for (const auto& [name, value] : states) {
    initials[name] = InitialOf(name, branches[0].inner, branches[1].inner);
  }
  for (Branch& from : branches) {
    std::vector<std::pair<ir::Node*, ir::Node*>> added;
    for (const auto& [name, initial] : initials) {
      const InnerState& state = StateIn(from.inner, name, initial);
      added.emplace_back(state.before, state.after);
    }
    ir::Body branch;
    branch.graph = std::move(from.inner.graph);
    const auto& [parameters, results] = std::tie(branch.graph->parameters, branch.graph->results);
    for (size_t i = 0; i < from.inputs.size(); ++i) {
      branch.map.inputs.push_back({.parameter = parameters[i], .input = from.inputs[i]});
    }
    for (size_t i = 0; i < outputs; ++i) {
      branch.map.outputs.push_back({.result = results[i], .port_id = static_cast<int64_t>(i)});
    }
    for (size_t i = 0; i < added.size(); ++i) {
      branch.map.inputs.push_back({.parameter = added[i].first, .input = first_state + i});
      branch.map.outputs.push_back(
          {.result = added[i].second, .port_id = static_cast<int64_t>(outputs + i)});
    }
    node.bodies.push_back(std::move(branch));
  }
  auto port = static_cast<uint32_t>(outputs);
  for (const auto& [name, value] : states) b.SetState(name, {&node, port++});
  return node;
}

void If(Builder& b) {
  const auto& options = b.Options<schema::IfOptions>();
  const size_t count = b.input_count() == 0 ? 0 : b.input_count() - 1;
  const int32_t subgraphs[] = {options.then_subgraph_index(), options.else_subgraph_index()};
  Branch branches[2];
  for (size_t i = 0; i < 2; ++i) {
    branches[i].inner = BodyOf(b, subgraphs[i], count, b.output_count());
    if (branches[i].inner.graph == nullptr) return;
    for (size_t input = 1; input <= count; ++input) branches[i].inputs.push_back(input);
  }
  Sources inputs = {b.Input(0)};
  std::ranges::copy(PortInputs(b, 1), std::back_inserter(inputs));
  ir::Node& node = AddIf(b, std::move(inputs), branches, b.output_count());
  for (uint32_t i = 0; i < b.output_count(); ++i) b.SetPort(i, {&node, i});
}

void While(Builder& b) {
  const auto& options = b.Options<schema::WhileOptions>();
  const size_t count = b.input_count();
  if (b.output_count() != count) {
    return b.Refuse("has {} inputs and {} outputs; must have as many outputs as inputs", count,
                    b.output_count());
  }
  Inner inner = BodyOf(b, options.body_subgraph_index(), count, count);
  Inner first = BodyOf(b, options.cond_subgraph_index(), count, 1);
  Inner next = BodyOf(b, options.cond_subgraph_index(), count, 1);
  if (inner.graph == nullptr || first.graph == nullptr || next.graph == nullptr) return;
  States states = ValuesOf(b, {&first, &inner}), after;
  for (const auto& [name, value] : states) {
    after[name] = StateIn(inner, name, InitialOf(name, inner, first)).after->inputs[0];
  }
  const Sources values = PortInputs(b, 0);
  Sources inputs = {b.Int(-1), Inlined(b.graph(), std::move(first), values, states)[0]};
  inputs.insert(inputs.end(), values.begin(), values.end());
  for (const auto& [name, value] : states) inputs.push_back(value);
  ir::Body body;
  body.graph = std::move(inner.graph);
  Sources results;
  for (size_t i = 0; i < count; ++i) results.push_back(body.graph->results[i]->inputs[0]);
  const ir::Source goes_on = Inlined(*body.graph, std::move(next), results, after)[0];
  const auto carry = [&](ir::Node* parameter, ir::Node* result) {
    const auto port = static_cast<int64_t>(body.map.outputs.size());
    body.map.inputs.push_back(
        {.parameter = parameter, .input = static_cast<size_t>(port) + 2, .next = result});
    body.map.outputs.push_back({.result = result, .port_id = port});
  };
  for (size_t i = 0; i < count; ++i) carry(body.graph->parameters[i], body.graph->results[i]);
  for (const auto& [name, state] : inner.states) {
    state.after->inputs[0] = after.at(name);
    carry(state.before, state.after);
  }
  body.map.condition = &NewResult(*body.graph, "condition", goes_on);
  ir::Node& node = b.AddNode("Loop", "opset5", {}, inputs, count + states.size());
  node.bodies.push_back(std::move(body));
  SetResults(b, node, states);
}

// A composite of StableHLO names a subgraph with the same meaning.
void StableHloComposite(Builder& b) {
  const auto* options = b.op().table->options_2_as_StableHloCompositeOptions();
  if (options == nullptr) return b.Refuse("has no options; must name its subgraph");
  Inner part =
      BodyOf(b, options->decomposition_subgraph_index(), b.input_count(), b.output_count());
  if (part.graph == nullptr) return;
  States states = ValuesOf(b, {&part});
  const Sources results = Inlined(b.graph(), std::move(part), PortInputs(b, 0), states);
  for (size_t i = 0; i < b.output_count(); ++i) b.SetPort(i, results[i]);
  for (const auto& [name, value] : states) b.SetState(name, value);
}

}  // namespace weft::tflite
