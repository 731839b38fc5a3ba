// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/widen_batch.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/visible.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"

namespace weft::graph {
namespace {

// Inputs of operations whose first axis is the batch, although they may be constants.
struct BatchedInputs {
  std::string_view type;
  std::vector<size_t> inputs;
};
const std::vector<BatchedInputs>& BatchedRows() {
  static const std::vector<BatchedInputs> rows = {
      {"ReadValue", {0}},      {"LSTMSequence", {1, 2, 3}}, {"GRUSequence", {1, 2}},
      {"RNNSequence", {1, 2}}, {"LSTMCell", {1, 2}},        {"GRUCell", {1}},
      {"RNNCell", {1}},
  };
  return rows;
}

// Finds values that depend on no input and no variable.
class ConstantValues {
 public:
  bool Is(const ir::Source& source) {
    const ir::Node& node = *source.node;
    const auto known = known_.find(&node);
    if (known != known_.end()) return known->second;
    known_[&node] = false;  // ends cycles
    bool is_constant = node.constant.has_value() || !node.inputs.empty();
    if (ir::IsParameter(node) || ir::IsReadValue(node) || !node.bodies.empty()) is_constant = false;
    for (const ir::Source& input : node.inputs) is_constant = is_constant && Is(input);
    return known_[&node] = is_constant;
  }

 private:
  std::map<const ir::Node*, bool> known_;
};

void WidenReshapes(ir::Graph& graph, int64_t streams, ConstantValues& constants) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {  // new constants are appended
    ir::Node& node = *graph.nodes[i];
    for (ir::Body& body : node.bodies) WidenReshapes(*body.graph, streams, constants);
    const bool has_target = node.type == "Reshape" || node.type == "Broadcast";
    if (!has_target || node.inputs.size() < 2) continue;
    if (node.type == "Reshape" && constants.Is(node.inputs[0])) continue;
    const ir::Constant* const target = ConstantOf(node.inputs[1]);
    if (target == nullptr) continue;
    std::vector<int64_t> dims = IntsOf(node.inputs[1]);
    if (dims.size() < 2 || dims[0] != 1) continue;
    dims[0] = streams;
    node.inputs[1] = NewInts(graph, node, target->type, dims);
  }
}

void WidenStates(ir::Graph& graph, int64_t streams, ConstantValues& constants) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    ir::Node& node = *graph.nodes[i];
    for (const BatchedInputs& row : BatchedRows()) {
      if (node.type != row.type) continue;
      for (const size_t input : row.inputs) {
        if (input >= node.inputs.size() || !constants.Is(node.inputs[input])) continue;
        const std::vector<ir::Source> copies(static_cast<size_t>(streams), node.inputs[input]);
        node.inputs[input] = NewConcat(graph, node, copies, 0);
      }
    }
    const auto shape = node.attributes.find("variable_shape");
    if (shape != node.attributes.end() && shape->second.starts_with("1,")) {
      shape->second = fmt::format("{}{}", streams, shape->second.substr(1));
    }
  }
}

}  // namespace

void WidenBatch(ir::Graph& graph, int64_t streams, Faults& faults) {
  for (ir::Node* const parameter : graph.parameters) {
    ir::OutputPort& port = parameter->outputs[0];
    Dims& dims = port.type.dims;
    if (!dims.empty() && (dims[0] == 1 || dims[0] < 0)) {
      dims[0] = streams;
      continue;
    }
    const std::string name = port.names.empty() ? parameter->name : port.names.front();
    faults.Add(fmt::format("input \"{}\" is {}; must have a first axis of extent 1, the batch",
                           OneLine(name), ToString(port.type)));
  }
  if (!faults.ok()) return;
  ConstantValues constants;
  WidenReshapes(graph, streams, constants);
  WidenStates(graph, streams, constants);
}

}  // namespace weft::graph
