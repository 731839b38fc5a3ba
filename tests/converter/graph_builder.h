// SPDX-License-Identifier: Apache-2.0
// Small graphs for tests of the converter, written down in a few lines instead of XML. Nodes are
// added producers first; the builder owns the graph. Infer and Lower run the node's own functions
// and nothing else: no folding, no other pass.
//
//   GraphBuilder g;
//   ir::Source x = g.Parameter({ElementType::f32, {2, 3}});
//   ir::Source y = g.Add("Softmax", 8, {x}, {{"axis", "-1"}});
//   ASSERT_TRUE(g.Infer()) << g.FaultText();
//   const program::Program program = g.Lower();
#ifndef WEFT_TESTS_CONVERTER_GRAPH_BUILDER_H_
#define WEFT_TESTS_CONVERTER_GRAPH_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/infer.h"
#include "converter/graph/lower.h"
#include "converter/ir/graph.h"
#include "converter/ops/operation.h"
#include "converter/program/builder.h"
#include "tests/converter/folding.h"
#include "tests/converter/types.h"

namespace weft {

class GraphBuilder {
 public:
  GraphBuilder() { graph.file = "test.xml"; }

  ir::Source Parameter(TensorType type) {
    ir::Node* node = NewNode("Parameter", 1, {}, {}, 1);
    node->attributes["element_type"] = std::string(Name(type.type));
    std::string shape;
    for (int64_t dim : type.dims) shape += (shape.empty() ? "" : ",") + std::to_string(dim);
    node->attributes["shape"] = shape;
    node->outputs[0] = {std::move(type), true, {}};
    graph.parameters.push_back(node);
    return {node, 0};
  }

  // `elements` must be of the C++ type that `type` stores (uint8_t for boolean, uint16_t for f16).
  template <typename T>
  ir::Source Const(TensorType type, const std::vector<T>& elements) {
    auto owned = std::make_shared<const std::vector<T>>(elements);
    ir::Node* node = NewNode("Const", 1, {}, {}, 1);
    node->outputs[0] = {type, true, {}};
    node->constant = ir::Constant{std::move(type), owned, std::as_bytes(std::span(*owned))};
    return {node, 0};
  }
  ir::Source Ints(const std::vector<int64_t>& elements) {
    return Const({ElementType::i64, {static_cast<int64_t>(elements.size())}}, elements);
  }
  ir::Source Floats(Dims dims, const std::vector<float>& elements) {
    return Const({ElementType::f32, std::move(dims)}, elements);
  }
  ir::Source Int(int64_t element) { return Const<int64_t>({ElementType::i64, {}}, {element}); }
  ir::Source Float(float element) { return Const<float>({ElementType::f32, {}}, {element}); }

  // Resolves `type` as of `opset`; a test that names an unknown operation ends here.
  ir::Source Add(const std::string& type, int opset, std::vector<ir::Source> inputs,
                 std::map<std::string, std::string> attributes = {}, uint32_t output_count = 1) {
    ir::Node* node = NewNode(type, opset, std::move(inputs), std::move(attributes), output_count);
    if (node->operation == nullptr) faults.Add("no operation " + type);
    if (type == "Assign") graph.sinks.push_back(node);
    return {node, 0};
  }

  void Result(ir::Source source) { graph.results.push_back(NewNode("Result", 1, {source}, {}, 0)); }

  void InferNode(ir::Node& node) {
    ops::InferScope scope(graph, node, faults);
    scope.infer_body = [this](ir::Graph& body) { return InferAndFold(body, {}, faults); };
    node.operation->infer(scope);
  }
  // True when no node found a fault. Parameter, Const and Result have nothing to infer.
  bool Infer() {
    for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
      if (node->operation != nullptr) InferNode(*node);
    }
    return faults.ok();
  }

  // After Infer. Parameters become scratch values and input ports, sources of Results output ports.
  program::Program Lower() {
    program::Program program;
    program::Builder builder(program);
    ops::LowerScope::Values values;
    for (ir::Node* node : graph.parameters) {
      const program::ValueId value = builder.Scratch(node->outputs[0].type);
      values[{node, 0}] = value;
      program.inputs.push_back({value, {node->name}});
    }
    for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
      if (node->operation == nullptr || node->constant) continue;
      builder.SetLayer(node->name);
      ops::LowerScope scope(graph, *node, faults, builder, values);
      scope.lower_body = graph::LowerBody;
      ops::Lower(scope);
    }
    for (ir::Node* node : graph.results) {
      builder.SetLayer(node->name);
      ops::LowerScope scope(graph, *node, faults, builder, values);
      program.outputs.push_back({scope.input(0), {node->name}});
    }
    return program;
  }

  const TensorType& type(ir::Source source) const { return source.node->outputs[source.port].type; }
  std::string FaultText() const {
    std::string text;
    for (const std::string& line : faults.lines()) text += line + "\n";
    return text;
  }

  ir::Graph graph;
  Faults faults;

 private:
  ir::Node* NewNode(const std::string& type, int opset, std::vector<ir::Source> inputs,
                    std::map<std::string, std::string> attributes, uint32_t output_count) {
    auto node = std::make_unique<ir::Node>();
    node->id = static_cast<int64_t>(graph.nodes.size());
    node->name = type + std::to_string(node->id);
    node->type = type;
    node->version = "opset" + std::to_string(opset);
    node->attributes = std::move(attributes);
    node->inputs = std::move(inputs);
    node->outputs.resize(output_count);
    node->operation = ops::Find(type, opset);
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().get();
  }
};

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_GRAPH_BUILDER_H_
