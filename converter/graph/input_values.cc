// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/input_values.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/visible.h"
#include "converter/graph/input_shapes.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// A dimension that the model leaves open takes any length.
bool FitsInput(const ir::OutputPort& port, const TensorType& type) {
  if (type.type != port.type.type) return false;
  if (!port.declared) return true;
  const Dims& dims = port.type.dims;
  if (dims.size() != type.dims.size()) return false;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] >= 0 && dims[axis] != type.dims[axis]) return false;
  }
  return true;
}

}  // namespace

void ApplyValues(ir::Graph& graph, const std::map<std::string, InputValue>& values,
                 Faults& faults) {
  const std::string must = MustBeOf(graph);
  std::map<ir::Node*, const InputValue*> given;
  for (const auto& [name, value] : values) {
    ir::Node* const parameter = FindInput(graph, "--value", name, must, faults);
    if (parameter == nullptr) continue;
    if (!given.emplace(parameter, &value).second) {
      faults.Add(
          fmt::format("--value: \"{}\" is an input that another name has given already; "
                      "must name it once",
                      OneLine(name)));
    } else if (!FitsInput(parameter->outputs[0], value.type)) {
      faults.Add(fmt::format("--value: input \"{}\": is {}; must be {}", OneLine(name),
                             ToString(value.type), ir::BoundedText(*parameter)));
    }
  }
  if (!faults.ok()) return;
  for (const auto& [parameter, value] : given) {
    const auto bytes = std::make_shared<const std::vector<std::byte>>(value->bytes);
    parameter->bounds.clear();
    BecomeConstant(*parameter, {value->type, bytes, std::span(*bytes)});
  }
  std::erase_if(graph.parameters,
                [&](const ir::Node* parameter) { return !ir::IsParameter(*parameter); });
}

}  // namespace weft::graph
