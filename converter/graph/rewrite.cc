// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/rewrite.h"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

template <typename T>
ir::Source NewConstant(ir::Graph& graph, const ir::Node& like, TensorType type,
                       std::vector<T> elements) {
  ir::Node* node = NewNode(graph, like, "Const", 1, {});
  auto owned = std::make_shared<const std::vector<T>>(std::move(elements));
  node->outputs[0].type = type;
  node->outputs[0].declared = true;
  node->constant = ir::Constant{std::move(type), owned, std::as_bytes(std::span(*owned))};
  return {node, 0};
}

template <typename T>
std::vector<int64_t> Widened(const ir::Constant& constant) {
  std::vector<T> elements(constant.bytes.size() / sizeof(T));
  if (!elements.empty()) {
    std::memcpy(elements.data(), constant.bytes.data(), elements.size() * sizeof(T));
  }
  return {elements.begin(), elements.end()};
}

}  // namespace

ir::Source NewFloats(ir::Graph& graph, const ir::Node& like, Dims dims, std::vector<float> floats) {
  return NewConstant(graph, like, {ElementType::f32, std::move(dims)}, std::move(floats));
}

ir::Source NewInts(ir::Graph& graph, const ir::Node& like, TensorType type,
                   const std::vector<int64_t>& numbers) {
  if (type.type == ElementType::i64) return NewConstant(graph, like, std::move(type), numbers);
  return NewConstant(graph, like, std::move(type),
                     std::vector<int32_t>(numbers.begin(), numbers.end()));
}

ir::Source NewFlag(ir::Graph& graph, const ir::Node& like, bool flag) {
  return NewConstant<uint8_t>(graph, like, {ElementType::boolean, {}}, {flag});
}

ir::Node* NewNode(ir::Graph& graph, const ir::Node& like, const std::string& type, int opset,
                  std::vector<ir::Source> inputs, uint32_t output_count,
                  std::map<std::string, std::string> attributes) {
  auto node = std::make_unique<ir::Node>();
  node->id = like.id;
  node->line = like.line;
  node->name = like.name;
  node->type = type;
  node->version = "opset" + std::to_string(opset);
  node->attributes = std::move(attributes);
  node->inputs = std::move(inputs);
  node->outputs.resize(output_count);
  node->operation = ops::Find(type, opset);
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

ir::Node* NewInferredNode(ir::Graph& graph, const ir::Node& like, const std::string& type,
                          int opset, std::vector<ir::Source> inputs, uint32_t output_count,
                          std::map<std::string, std::string> attributes) {
  ir::Node* node =
      NewNode(graph, like, type, opset, std::move(inputs), output_count, std::move(attributes));
  Faults unheard;
  ops::InferScope scope(graph, *node, unheard);
  node->operation->infer(scope);
  return node;
}

ir::Source Reshaped(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims) {
  if (TypeOf(source).dims == dims) return source;
  const ir::Source pattern =
      NewInts(graph, like, {ElementType::i64, {static_cast<int64_t>(dims.size())}}, dims);
  return {NewInferredNode(graph, like, "Reshape", 1, {source, pattern}), 0};
}

void HandOver(ir::Graph& graph, ir::Source from, ir::Source to) {
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (ir::Source& source : node->inputs) {
      if (source == from) source = to;
    }
  }
  to.node->outputs[to.port].names = std::move(from.node->outputs[from.port].names);
}

std::map<const ir::Node*, std::vector<ir::Node*>> Readers(const ir::Graph& graph) {
  std::map<const ir::Node*, std::vector<ir::Node*>> readers;
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Source& source : node->inputs) readers[source.node].push_back(node);
  }
  return readers;
}

const TensorType& TypeOf(ir::Source source) { return source.node->outputs[source.port].type; }

const ir::Constant* ConstantOf(ir::Source source) {
  return source.node->constant ? &*source.node->constant : nullptr;
}

std::vector<int64_t> IntsOf(ir::Source source) {
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr) return {};
  switch (constant->type.type) {
    case ElementType::i64:
      return Widened<int64_t>(*constant);
    case ElementType::i32:
      return Widened<int32_t>(*constant);
    case ElementType::boolean:
      return Widened<uint8_t>(*constant);
    default:
      return {};
  }
}

}  // namespace weft::graph
