// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/input_states.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "converter/base/nearest.h"
#include "converter/base/visible.h"
#include "converter/graph/input_shapes.h"
#include "converter/graph/port_names.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"

namespace weft::graph {
namespace {

// The first name of an output, or its index if every name selects another output.
std::string OutputName(const ir::Graph& graph, const ir::Node& result) {
  const auto at = std::ranges::find(graph.results, &result) - graph.results.begin();
  const std::vector<std::string> names = NamesOfOutputs(graph)[static_cast<size_t>(at)];
  return names.empty() ? fmt::format("{}", at) : OneLine(names.front());
}

std::string MustBeOutput(const ir::Graph& graph) {
  std::vector<std::string> list;
  for (const ir::Node* result : graph.results) {
    list.push_back(fmt::format("\"{}\"", OutputName(graph, *result)));
  }
  return fmt::format("must be one of {}", fmt::join(list, ", "));
}

ir::Node* FindOutput(const ir::Graph& graph, const std::string& name, Faults& faults) {
  const PortNames names = NamesOfOutputs(graph);
  const std::vector<size_t> found = PortsNamed(names, name);
  if (found.size() == 1) return graph.results[found[0]];
  faults.Add(fmt::format(
      "--state: output \"{}\": {}", OneLine(name),
      found.empty()
          ? fmt::format("is not in the model; {}{}", DidYouMean(name, AllNames(names)),
                        MustBeOutput(graph))
          : fmt::format("matches {} outputs; must select one by its index", found.size())));
  return nullptr;
}

// Returns the error of the pair that is known before shapes are inferred; empty if it is valid.
std::string PairFault(const ir::Graph& graph, const ir::Node& parameter, const ir::Node& result) {
  const TensorType& type = parameter.outputs[0].type;
  const auto is_open = [](int64_t dim) { return dim < 0; };
  if (std::ranges::any_of(type.dims, is_open) || !parameter.outputs[0].declared) {
    return fmt::format("is {}; must have a fixed shape (--shape)", ir::BoundedText(parameter));
  }
  const ir::Source& source = result.inputs[0];
  const ir::OutputPort& port = source.node->outputs[source.port];
  const bool differs =
      port.declared && (port.type.type != type.type || port.type.dims.size() != type.dims.size());
  if (!differs) return "";
  return fmt::format("is {} and output \"{}\" is {}; must have the same type", ToString(type),
                     OutputName(graph, result), ToString(port.type));
}

// A constant of zeros of the parameter's type; of codes that represent 0 if it has codes.
ir::Source ZeroOf(ir::Graph& graph, const ir::Node& parameter) {
  const TensorType& type = parameter.outputs[0].type;
  const auto zero = parameter.attributes.find(ir::kStatedZero);
  if (zero != parameter.attributes.end()) {
    const std::vector<int64_t> codes(static_cast<size_t>(ElementCount(type.dims).value_or(0)),
                                     std::strtoll(zero->second.c_str(), nullptr, 10));
    return NewInts(graph, parameter, type, codes);
  }
  return NewConstant(graph, parameter, ir::ZerosOf(type));
}

void MakeState(ir::Graph& graph, ir::Node& parameter, ir::Node& result) {
  const std::string variable =
      parameter.outputs[0].names.empty() ? parameter.name : parameter.outputs[0].names.front();
  const ir::Source initial = ZeroOf(graph, parameter);
  NewAssign(graph, result, variable, result.inputs[0]);
  const ir::Source read = NewReadValue(graph, parameter, variable, initial);
  read.node->attributes[kDeclaredState] = OutputName(graph, result);
  ir::HandOver(graph, {&parameter, 0}, read);
  std::erase(graph.parameters, &parameter);
  std::erase(graph.results, &result);
}

}  // namespace

void ApplyStates(ir::Graph& graph, const InputStates& states, Faults& faults) {
  const std::string must = MustBeOf(graph);
  std::vector<std::pair<ir::Node*, ir::Node*>> pairs;
  std::set<const ir::Node*> taken;
  for (const auto& [input, output] : states) {
    ir::Node* const parameter = FindInput(graph, "--state", input, must, faults);
    ir::Node* const result = FindOutput(graph, output, faults);
    if (parameter == nullptr || result == nullptr) continue;
    std::string fault = PairFault(graph, *parameter, *result);
    if (!taken.insert(parameter).second || !taken.insert(result).second) {
      fault = "is in two pairs, or its output is; must be in one pair";
    }
    if (fault.empty()) {
      pairs.emplace_back(parameter, result);
    } else {
      faults.Add(fmt::format("--state: input \"{}\": {}", OneLine(input), fault));
      parameter->type.clear();  // the error is reported once
    }
  }
  if (!faults.ok()) return;
  for (const auto& [parameter, result] : pairs) MakeState(graph, *parameter, *result);
  if (!pairs.empty() && graph.parameters.empty() && graph.results.empty()) {
    faults.Add("--state: removes every input and output; must leave at least one");
  }
}

}  // namespace weft::graph
