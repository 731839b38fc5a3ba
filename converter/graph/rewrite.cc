// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/rewrite.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "converter/graph/lower.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

void Infer(const ir::Graph& graph, ir::Node& node) {
  Quiet<ops::InferScope> scope(graph, node);
  scope.limits_bytes = false;  // inference has checked the model
  node.operation->infer(scope);
}

ir::Node* Own(ir::Graph& graph, std::unique_ptr<ir::Node> node) {
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

}  // namespace

ir::Source NewConstant(ir::Graph& graph, const ir::Node& like, ir::Constant constant) {
  return {Own(graph, MakeConstant(like, std::move(constant))), 0};
}

ir::Source NewFloats(ir::Graph& graph, const ir::Node& like, Dims dims, CodedFloats numbers) {
  auto owned = std::make_shared<const std::vector<float>>(std::move(numbers.floats));
  return NewConstant(graph, like,
                     {{ElementType::f32, std::move(dims)},
                      owned,
                      std::as_bytes(std::span(*owned)),
                      std::move(numbers.quantisation)});
}

ir::Source NewInts(ir::Graph& graph, const ir::Node& like, TensorType type,
                   const std::vector<int64_t>& numbers) {
  const auto size = static_cast<size_t>(ElementBytes(type.type));
  std::vector<std::byte> bytes;
  for (const int64_t number : numbers) {  // two's complement, least significant byte first
    for (size_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<std::byte>(static_cast<uint64_t>(number) >> (8 * i)));
    }
  }
  return NewConstant(graph, like, ir::OwnedConstant(std::move(type), std::move(bytes)));
}

ir::Source NewInts(ir::Graph& graph, const ir::Node& like, const std::vector<int64_t>& list) {
  return NewInts(graph, like, {ElementType::i64, {std::ssize(list)}}, list);
}

ir::Source NewNumbers(ir::Graph& graph, const ir::Node& like, const TensorType& type,
                      const std::vector<double>& numbers) {
  if (!IsFloat(type.type))
    return NewInts(graph, like, type, std::vector<int64_t>(numbers.begin(), numbers.end()));
  return NewFloats(graph, like, type.dims, std::vector<float>(numbers.begin(), numbers.end()));
}

ir::Source NewFlag(ir::Graph& graph, const ir::Node& like, bool flag) {
  return NewInts(graph, like, {ElementType::boolean, {}}, {flag});
}

std::unique_ptr<ir::Node> MakeNode(const ir::Node& like, const std::string& type, int opset,
                                   std::vector<ir::Source> inputs, uint32_t output_count,
                                   std::map<std::string, std::string> attributes) {
  std::unique_ptr<ir::Node> node = ir::MakeNode(like);
  Become(*node, type, opset, std::move(inputs));
  node->attributes = std::move(attributes);
  node->outputs.resize(output_count);
  return node;
}

std::unique_ptr<ir::Node> MakeConstant(const ir::Node& like, ir::Constant constant) {
  std::unique_ptr<ir::Node> node = ir::MakeNode(like);
  node->outputs.resize(1);
  BecomeConstant(*node, std::move(constant));
  return node;
}

void BecomeConstant(ir::Node& node, ir::Constant constant) {
  Become(node, "Const", 1, {});
  node.outputs[0].type = constant.type;
  node.outputs[0].declared = true;
  node.constant = std::move(constant);
}

void Become(ir::Node& node, const std::string& type, int opset, std::vector<ir::Source> inputs) {
  node.type = type;
  node.version = "opset" + std::to_string(opset);
  node.operation = ops::Find(type, opset);
  node.attributes.clear();
  node.inputs = std::move(inputs);
}

ir::Node* NewNode(ir::Graph& graph, const ir::Node& like, const std::string& type, int opset,
                  std::vector<ir::Source> inputs, uint32_t output_count,
                  std::map<std::string, std::string> attributes) {
  return Own(graph,
             MakeNode(like, type, opset, std::move(inputs), output_count, std::move(attributes)));
}

ir::Node* NewInferredNode(ir::Graph& graph, const ir::Node& like, const std::string& type,
                          int opset, std::vector<ir::Source> inputs, uint32_t output_count,
                          std::map<std::string, std::string> attributes) {
  ir::Node* node =
      NewNode(graph, like, type, opset, std::move(inputs), output_count, std::move(attributes));
  Infer(graph, *node);
  return node;
}

ir::Source NewOperation(ir::Graph& graph, const ir::Node& like, const std::string& type, int opset,
                        std::vector<ir::Source> inputs,
                        std::map<std::string, std::string> attributes) {
  return {NewInferredNode(graph, like, type, opset, std::move(inputs), 1, std::move(attributes)),
          0};
}

ir::Source NewSlice(ir::Graph& graph, const ir::Node& like, ir::Source data,
                    const SliceBounds& bounds) {
  std::vector<ir::Source> inputs = {data};
  for (const std::vector<int64_t>* row : {&bounds.begins, &bounds.ends, &bounds.steps}) {
    inputs.push_back(NewInts(graph, like, *row));
  }
  if (!bounds.axes.empty()) inputs.push_back(NewInts(graph, like, bounds.axes));
  return {NewNode(graph, like, "Slice", 8, std::move(inputs)), 0};
}

ir::Source NewPart(ir::Graph& graph, const ir::Node& like, ir::Source data, int64_t axis,
                   int64_t begin, int64_t count) {
  constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();
  const int64_t end = begin < 0 && begin + count == 0 ? kToEnd : begin + count;
  const ir::Source part = NewSlice(graph, like, data, {{begin}, {end}, {1}, {axis}});
  TensorType& type = part.node->outputs[0].type = TypeOf(data);
  type.dims[static_cast<size_t>(axis)] = count;
  return part;
}

ir::Source NewConcat(ir::Graph& graph, const ir::Node& like, std::vector<ir::Source> parts,
                     int64_t axis) {
  return {NewNode(graph, like, "Concat", 1, std::move(parts), 1, {{"axis", std::to_string(axis)}}),
          0};
}

ir::Source NewBroadcast(ir::Graph& graph, const ir::Node& like, ir::Source source,
                        const Dims& dims) {
  return {NewNode(graph, like, "Broadcast", 3, {source, NewInts(graph, like, dims)}, 1,
                  {{"mode", "numpy"}}),
          0};
}

ir::Source NewIdentity(ir::Graph& graph, const ir::Node& like, ir::Source source) {
  return {NewNode(graph, like, "Identity", 16, {source}), 0};
}

ir::Source NewReshape(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims) {
  return {NewNode(graph, like, "Reshape", 1, {source, NewInts(graph, like, dims)}), 0};
}

void BecomeReshape(ir::Graph& graph, ir::Node& node, ir::Source source, const Dims& dims) {
  const bool was_moved = node.attributes.contains(kMoved);
  Become(node, "Reshape", 1, {source, NewInts(graph, node, dims)});
  if (was_moved) node.attributes[kMoved] = "true";
}

ir::Source NewSqueeze(ir::Graph& graph, const ir::Node& like, ir::Source source, int64_t axis) {
  return {NewNode(graph, like, "Squeeze", 1, {source, NewInts(graph, like, {axis})}), 0};
}

ir::Source NewUnsqueeze(ir::Graph& graph, const ir::Node& like, ir::Source source, int64_t axis) {
  return {NewNode(graph, like, "Unsqueeze", 1, {source, NewInts(graph, like, {axis})}), 0};
}

ir::Source NewReadValue(ir::Graph& graph, const ir::Node& like, const std::string& variable,
                        ir::Source initial) {
  ir::Node* node = NewNode(graph, like, "ReadValue", 6, {initial}, 1, {{"variable_id", variable}});
  node->outputs[0].type = TypeOf(initial);
  return {node, 0};
}

void NewAssign(ir::Graph& graph, const ir::Node& like, const std::string& variable,
               ir::Source source) {
  ir::Node* node = NewNode(graph, like, "Assign", 6, {source}, 1, {{"variable_id", variable}});
  node->outputs[0].type = TypeOf(source);
  graph.sinks.push_back(node);
}

ir::Node* NewTensorIterator(ir::Graph& graph, const ir::Node& like) {
  ir::Node* loop = NewNode(graph, like, "TensorIterator", 1, {}, 0);
  loop->bodies.emplace_back().graph = std::make_unique<ir::Graph>();
  loop->bodies[0].graph->name = like.name;
  loop->bodies[0].graph->file = graph.file;
  return loop;
}

ir::Node* NewParameter(ir::Graph& graph, const ir::Node& like) {
  graph.parameters.push_back(NewNode(graph, like, "Parameter", 1, {}));
  return graph.parameters.back();
}

ir::Node* NewResult(ir::Graph& graph, const ir::Node& like, ir::Source source) {
  graph.results.push_back(NewNode(graph, like, "Result", 1, {source}, 0));
  return graph.results.back();
}

ir::Source Reshaped(ir::Graph& graph, const ir::Node& like, ir::Source source, const Dims& dims) {
  if (TypeOf(source).dims == dims) return source;
  const ir::Source reshaped = NewReshape(graph, like, source, dims);
  Infer(graph, *reshaped.node);
  return reshaped;
}

ReaderMap Readers(const ir::Graph& graph) {
  ReaderMap readers;
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Source& source : node->inputs) readers[source.node].push_back(node);
  }
  return readers;
}

const std::vector<ir::Node*>& ReadersIn(const ReaderMap& readers, const ir::Node& node) {
  static const std::vector<ir::Node*> kNone;
  const auto found = readers.find(&node);
  return found == readers.end() ? kNone : found->second;
}

bool IsReadOnce(const ReaderMap& readers, const ir::Node& node) {
  return ReadersIn(readers, node).size() == 1;
}

bool IsCalled(const ir::Node& node, std::string_view operation) {
  return node.operation != nullptr && !node.constant && node.operation->name == operation;
}

bool IsConvolved(const ir::Node& node) {
  return IsCalled(node, "Convolution") || IsCalled(node, "GroupConvolution");
}

bool AnyInBodies(const ir::Node& node, bool (*fits)(const ir::Node& inner)) {
  return std::ranges::any_of(node.bodies, [&](const ir::Body& body) {
    return std::ranges::any_of(body.graph->nodes, [&](const auto& inner) {
      return fits(*inner) || AnyInBodies(*inner, fits);
    });
  });
}

bool IsOpenLoop(const ir::Node& node) {
  if (!ir::IsLoop(node) || node.bodies.size() != 1 || node.inputs.empty()) return false;
  const ir::Node* condition = node.bodies[0].map.condition;
  return !node.inputs[0].node->constant ||
         (condition != nullptr && !condition->inputs[0].node->constant);
}

std::string AttributeText(const ir::Node& node, const std::string& key,
                          const std::string& fallback) {
  const auto found = node.attributes.find(key);
  return found == node.attributes.end() ? fallback : found->second;
}

const ir::Constant* ConstantOf(ir::Source source) {
  return source.node->constant ? &*source.node->constant : nullptr;
}

std::vector<int64_t> IntsOf(ir::Source source) {
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr) return {};
  const ElementType type = constant->type.type;
  const bool is_read =
      type == ElementType::i64 || type == ElementType::i32 || type == ElementType::boolean;
  return is_read ? ir::IntegersOf(*constant) : std::vector<int64_t>();
}

}  // namespace weft::graph
