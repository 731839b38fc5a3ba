// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/input_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "converter/base/visible.h"
#include "runtime/weft.h"

namespace weft::graph {
namespace {

std::vector<ir::Node*> InputsNamed(const ir::Graph& graph, const std::string& name) {
  std::vector<ir::Node*> found;
  for (ir::Node* parameter : graph.parameters) {
    const std::vector<std::string>& names = parameter->outputs[0].names;
    if (name == parameter->name || std::find(names.begin(), names.end(), name) != names.end()) {
      found.push_back(parameter);
    }
  }
  for (size_t i = 0; found.empty() && i < graph.parameters.size(); ++i) {
    if (name == fmt::format("{}", i)) found.push_back(graph.parameters[i]);
  }
  return found;
}

// What is wrong with the shape for that input; empty where nothing is.
std::string Misfit(const ir::OutputPort& port, const Dims& dims) {
  const TensorType is{port.type.type, dims};
  const Dims& declared = port.type.dims;
  if (port.declared && dims.size() != declared.size()) {
    return fmt::format("{} has rank {}; must have rank {}, as the model's {}", ToString(is),
                       dims.size(), declared.size(), ToString(port.type));
  }
  if (dims.size() > kMaxRank) {
    return fmt::format("{} has rank {}; must have at most {}", ToString(is), dims.size(), kMaxRank);
  }
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] != 0 || (port.declared && declared[axis] == 0)) continue;
    return fmt::format("{} is empty; dimension {} must be from 1", ToString(is), axis);
  }
  if (!DenseBytes(is)) return ToString(is) + " is too large; must be less than 4294967296 bytes";
  return "";
}

}  // namespace

bool ApplyShapes(ir::Graph& graph, const std::map<std::string, Dims>& shapes, Faults& faults) {
  const size_t before = faults.lines().size();
  std::map<const ir::Node*, std::string> given;
  for (const auto& [name, dims] : shapes) {
    const std::vector<ir::Node*> found = InputsNamed(graph, name);
    if (found.size() > 1) {
      faults.Add(fmt::format("--shape: {} inputs are named \"{}\"; must name one, by its index",
                             found.size(), OneLine(name)));
      continue;
    }
    if (found.empty()) {
      std::string known;
      for (const ir::Node* parameter : graph.parameters) known += " " + OneLine(parameter->name);
      faults.Add(fmt::format("--shape: the model has no input \"{}\"; its inputs are{}",
                             OneLine(name), known));
      continue;
    }
    const auto [first, fresh] = given.emplace(found[0], name);
    if (!fresh) {
      faults.Add(fmt::format("--shape: \"{}\" and \"{}\" are one input; must name it once",
                             OneLine(first->second), OneLine(name)));
      continue;
    }
    ir::OutputPort& port = found[0]->outputs[0];
    if (const std::string misfit = Misfit(port, dims); !misfit.empty()) {
      faults.Add(fmt::format("--shape: input \"{}\": {}", OneLine(name), misfit));
      continue;
    }
    port.type.dims = dims;
    port.declared = true;
  }
  return faults.lines().size() == before;
}

}  // namespace weft::graph
