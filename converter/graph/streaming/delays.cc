// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/delays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "converter/graph/streaming/walks.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

using ops::NodeScope;

bool IsConvolution(const ir::Node& node) {
  return node.operation != nullptr &&
         (node.operation->name == "Convolution" || node.operation->name == "GroupConvolution");
}

// One axis of space as the window walks it.
struct Walked {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;
  int64_t past() const { return (kernel - 1) * dilation; }
};

std::optional<Walked> WalkedBy(const NodeScope& scope, int64_t axis) {
  const std::string pads = scope.attributes.Text("auto_pad", "explicit");
  const auto at = static_cast<size_t>(axis - 2);
  const auto space = static_cast<size_t>(scope.rank(0) - 2);
  if (axis < 2 || at >= space || (pads != "explicit" && pads != "notset" && pads != "valid")) {
    return std::nullopt;
  }
  const auto number = [&](std::string_view key, int64_t fallback) {
    const Dims numbers = scope.attributes.Ints(key);
    return at < numbers.size() ? numbers[at] : fallback;
  };
  const Dims& weights = scope.input_dims(1);
  Walked walked{weights[weights.size() - space + at], number("strides", 1), number("dilations", 1)};
  if (pads == "valid") return walked;
  walked.before = number("pads_begin", 0);
  walked.behind = number("pads_end", 0);
  return walked;
}

// Zero times infinity is no zero.
bool AreFinite(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

void SetPadBefore(ir::Node& node, const NodeScope& scope, int64_t axis, int64_t places) {
  const auto space = static_cast<size_t>(scope.rank(0) - 2);
  for (const char* key : {"pads_begin", "pads_end"}) {
    Dims pads = scope.attributes.Text("auto_pad", "explicit") == "valid"
                    ? Dims()
                    : scope.attributes.Ints(key);
    pads.resize(space, 0);
    if (std::string_view(key) == "pads_begin") pads[static_cast<size_t>(axis - 2)] = places;
    std::string text = ToString(pads);
    node.attributes[key] = text.substr(1, text.size() - 2);
  }
}

// The Pad before a convolution, when nobody else reads it and it pads with zeros.
ir::Node* PadBefore(const ir::Graph& graph, const ir::Node& convolution) {
  ir::Node* pad = convolution.inputs[0].node;
  if (pad->operation == nullptr || pad->operation->name != "Pad") return nullptr;
  int readers = 0;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (const ir::Source& source : node->inputs) readers += source.node == pad;
  }
  Faults unheard;
  const NodeScope scope(graph, *pad, unheard);
  const std::optional<std::vector<double>> value =
      scope.has_input(3) ? scope.Numbers(3) : std::vector<double>{0};
  const bool zeros = value && value->size() == 1 && value->front() == 0;
  return readers == 1 && zeros && scope.attributes.Text("pad_mode", "constant") == "constant"
             ? pad
             : nullptr;
}

void JoinPad(ir::Graph& graph, ir::Node& convolution, ir::Node& pad) {
  Faults unheard;
  const NodeScope scope(graph, convolution, unheard), of_pad(graph, pad, unheard);
  Dims begin = of_pad.Ints(1).value_or(Dims());
  const Dims end = of_pad.Ints(2).value_or(Dims());
  for (size_t axis = 2; axis < begin.size() && axis < end.size(); ++axis) {
    const auto at = static_cast<int64_t>(axis);
    const std::optional<Walked> walked = WalkedBy(scope, at);
    if (!walked || begin[axis] == 0 || end[axis] != 0 || begin[axis] != walked->past()) continue;
    if (walked->stride != 1 || walked->before != 0 || walked->behind != 0) continue;
    SetPadBefore(convolution, scope, at, begin[axis]);
    convolution.attributes["auto_pad"] = "explicit";
    pad.outputs[0].type.dims[axis] -= begin[axis];
    begin[axis] = 0;
    pad.inputs[1] = AddInts(graph, pad, of_pad.input_type(1), begin);
  }
}

}  // namespace

std::optional<int64_t> PastOf(const ir::Graph& graph, ir::Node& convolution, int64_t axis) {
  Faults unheard;
  const NodeScope scope(graph, convolution, unheard);
  const std::optional<Walked> walked = WalkedBy(scope, axis);
  const std::optional<std::vector<double>> weights = scope.Numbers(1);
  if (!walked || !weights || !AreFinite(*weights)) return std::nullopt;
  const bool looks_back = walked->stride == 1 && walked->behind == 0 &&
                          walked->before == walked->past() && walked->past() > 0;
  return looks_back ? std::optional(walked->past()) : std::nullopt;
}

void JoinPads(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    if (!IsConvolution(*node)) continue;
    if (ir::Node* pad = PadBefore(graph, *node)) JoinPad(graph, *node, *pad);
  }
}

void ReadPast(ir::Graph& graph, ir::Node& convolution, int64_t axis, int64_t past,
              const std::string& name) {
  const ir::Source data = convolution.inputs[0];
  TensorType type = data.node->outputs[data.port].type, joined_type = type;
  const auto at = static_cast<size_t>(axis);
  joined_type.dims[at] += past;
  type.dims[at] = past;
  ir::Node& zeros = AddNode(graph, convolution, "Const", 1, {});
  auto bytes =
      std::make_shared<std::vector<std::byte>>(static_cast<size_t>(DenseBytes(type).value_or(0)));
  zeros.constant = ir::Constant{type, bytes, *bytes};
  ir::Node& read = AddNode(graph, convolution, "ReadValue", 6, {{&zeros, 0}});
  ir::Node& joined = AddNode(graph, convolution, "Concat", 1, {{&read, 0}, data});
  joined.attributes["axis"] = std::to_string(axis);
  const TensorType one = {ElementType::i64, {1}};
  const auto number = [&](int64_t value) { return AddInts(graph, convolution, one, {value}); };
  ir::Node& last = AddNode(graph, convolution, "Slice", 8,
                           {{&joined, 0},
                            number(-past),
                            number(std::numeric_limits<int64_t>::max()),
                            number(1),
                            number(axis)});
  ir::Node& assign = AddNode(graph, convolution, "Assign", 6, {{&last, 0}});
  for (ir::Node* node : {&zeros, &read, &last, &assign}) node->outputs[0].type = type;
  joined.outputs[0].type = joined_type;
  for (ir::Node* node : {&read, &assign}) node->attributes["variable_id"] = name;
  graph.sinks.push_back(&assign);
  Faults unheard;
  const NodeScope scope(graph, convolution, unheard);
  SetPadBefore(convolution, scope, axis, 0);
  convolution.inputs[0] = {&joined, 0};
}

}  // namespace weft::graph
