// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/base/visible.h"
#include "converter/graph/graph_passes.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "kernels/elementwise/convert.h"

namespace weft::graph {
namespace {

// The two operations whose output type is the one that the file requests instead of f32.
constexpr const char *kConvert = "Convert", *kConvertLike = "ConvertLike";
constexpr char kDestination[] = "destination_type";

bool IsForeign(ElementType type) { return IsFloat(type) && type != ElementType::f32; }

// Returns the f16, bf16 or f64 type that an attribute names, otherwise f32.
ElementType TypeIn(const ir::Node& node, const std::string& key) {
  const std::optional<ElementType> type = ParseElementType(AttributeText(node, key));
  return type && IsForeign(*type) ? *type : ElementType::f32;
}

// Returns the attribute that sets the output type; empty if f32 is valid for all floats.
std::string TypedBy(const ir::Node& node) { return std::string(ops::TraitsOf(node).typed_by); }

bool IsConvert(const ir::Node& node) {
  return node.operation != nullptr && node.operation->name == kConvert;
}

kernels::Element KernelElement(ElementType type) { return static_cast<kernels::Element>(type); }

// Copies the elements, because they may be unaligned in the file and the kernel needs aligned ones.
void Widen(ir::Constant& constant) {
  const size_t count =
      constant.bytes.size() / static_cast<size_t>(ElementBytes(constant.type.type));
  const size_t words = constant.bytes.size() / sizeof(uint64_t) + 1;
  std::vector<uint64_t> aligned(words);
  std::ranges::copy(constant.bytes, reinterpret_cast<std::byte*>(aligned.data()));
  auto floats = std::make_shared<std::vector<float>>(count);
  kernels::Convert(
      {Narrow32(count, "count"), KernelElement(constant.type.type), kernels::Element::kF32},
      aligned.data(), floats->data());
  constant.type.type = ElementType::f32;
  constant.bytes = std::as_bytes(std::span(*floats));
  constant.owner = std::move(floats);
}

class Promotion {
 public:
  explicit Promotion(ir::Graph& graph) : graph_(graph) {}

  void Run(bool is_model) {
    if (is_model) NotePorts();
    for (const std::unique_ptr<ir::Node>& node : graph_.nodes) {
      for (ir::Body& body : node->bodies) Promotion(*body.graph).Run(false);
      ReplaceConvertLike(*node);
      const bool keeps = !TypedBy(*node).empty() || (is_model && ir::IsParameter(*node));
      if (keeps) NoteForeign(*node);
    }
    for (const std::unique_ptr<ir::Node>& node : graph_.nodes) {
      if (!foreign_.contains(node.get())) Retype(*node);
    }
    WidenReads();
    for (const auto& [result, type] : ports_) NarrowFor(*result, type);
    for (std::unique_ptr<ir::Node>& node : added_) graph_.nodes.push_back(std::move(node));
  }

 private:
  // Records Results whose source has a declared foreign type, with or without dims, because a
  // scalar port has none. Without a declared type the port is f32.
  void NotePorts() {
    for (ir::Node* result : graph_.results) {
      const ir::Source& source = result->inputs[0];
      const ir::OutputPort& port = source.node->outputs[source.port];
      if (IsForeign(port.type.type)) ports_[result] = port.type.type;
    }
  }

  // The second input only sets the type, which promotion would change.
  static void ReplaceConvertLike(ir::Node& node) {
    if (node.operation == nullptr || node.operation->name != kConvertLike) return;
    if (node.inputs.size() != 2) return;
    const ir::Source& like = node.inputs[1];
    const ElementType type = TypeOf(like).type;
    if (!IsForeign(type)) return;
    Become(node, kConvert, 1, {node.inputs[0]});
    node.attributes = {{kDestination, std::string(Name(type))}};
  }

  // Records a node whose output actually has a foreign type.
  void NoteForeign(const ir::Node& node) {
    const std::string key = TypedBy(node);
    const ElementType type = key.empty() ? node.outputs[0].type.type : TypeIn(node, key);
    if (IsForeign(type)) foreign_[&node] = type;
  }

  static void Retype(ir::Node& node) {
    for (ir::OutputPort& port : node.outputs) {
      if (IsForeign(port.type.type)) port.type.type = ElementType::f32;
    }
    for (const char* key : {"element_type", "output_type", "variable_type"}) {
      if (IsForeign(TypeIn(node, key))) node.attributes[key] = "f32";
    }
    if (node.constant && IsForeign(node.constant->type.type)) Widen(*node.constant);
  }

  // All readers of foreign elements read them as f32, except conversions and ports of that type.
  void WidenReads() {
    std::map<const ir::Node*, ir::Node*> widened;
    for (const std::unique_ptr<ir::Node>& node : graph_.nodes) {
      if (IsConvert(*node)) continue;
      for (ir::Source& source : node->inputs) {
        const auto found = foreign_.find(source.node);
        if (found == foreign_.end()) continue;
        const auto port = ports_.find(node.get());
        if (port != ports_.end() && port->second == found->second) continue;
        ir::Node*& convert = widened[source.node];
        if (convert == nullptr) convert = NewConvert(source, ElementType::f32);
        source = {convert, 0};
      }
    }
  }

  // A model port takes over the names of its source.
  void NarrowFor(ir::Node& result, ElementType type) {
    ir::Source& source = result.inputs[0];
    if (foreign_.contains(source.node)) return;
    ir::Node* convert = NewConvert(source, type);
    convert->outputs[0].names = source.node->outputs[source.port].names;
    source = {convert, 0};
  }

  ir::Node* NewConvert(const ir::Source& source, ElementType to) {
    std::unique_ptr<ir::Node> node =
        MakeNode(*source.node, kConvert, 1, {source}, 1, {{kDestination, std::string(Name(to))}});
    node->outputs[0].type = {to, TypeOf(source).dims};
    added_.push_back(std::move(node));
    return added_.back().get();
  }

  ir::Graph& graph_;
  std::map<ir::Node*, ElementType> ports_;
  std::map<const ir::Node*, ElementType> foreign_;
  std::vector<std::unique_ptr<ir::Node>> added_;
};

}  // namespace

void Promote(ir::Graph& graph) { Promotion(graph).Run(/*is_model=*/true); }

void WarnOfDoubles(const ir::Graph& graph, Faults& faults) {
  std::vector<std::string> ports;
  const auto add = [&](std::string_view kind, const ir::Node& port, const ir::OutputPort& value) {
    if (value.type.type != ElementType::f64) return;
    ports.push_back(fmt::format("{} \"{}\"", kind, OneLine(port.name)));
  };
  for (const ir::Node* input : graph.parameters) add("input", *input, input->outputs[0]);
  for (const ir::Node* output : graph.results) {
    const ir::Source& source = output->inputs[0];
    add("output", *output, source.node->outputs[source.port]);
  }
  if (ports.empty()) return;
  faults.Warn(fmt::format("{}: f64 is computed as f32, with fewer digits and a smaller range: {}",
                          graph.file, fmt::join(ports, ", ")));
}

}  // namespace weft::graph
