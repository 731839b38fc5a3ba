// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/delays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ops/look_back.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

using ops::NodeScope;

// The pattern: Pad -> Convolution.
bool IsConvolution(const ir::Node& node) {
  return node.operation != nullptr &&
         (node.operation->name == "Convolution" || node.operation->name == "GroupConvolution");
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

// The Pad before a convolution, when nothing else reads it and it pads with zeros.
ir::Node* PadBefore(const ir::Graph& graph, const ir::Node& convolution) {
  ir::Node* pad = convolution.inputs[0].node;
  if (pad->operation == nullptr || pad->operation->name != "Pad") return nullptr;
  int readers = 0;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (const ir::Source& source : node->inputs) readers += source.node == pad;
  }
  Faults discarded;
  const NodeScope scope(graph, *pad, discarded);
  const std::optional<std::vector<double>> value =
      scope.has_input(3) ? scope.Numbers(3) : std::vector<double>{0};
  const bool zeros = value && value->size() == 1 && value->front() == 0;
  return readers == 1 && zeros && scope.attributes.Text("pad_mode", "constant") == "constant"
             ? pad
             : nullptr;
}

void JoinPad(ir::Graph& graph, ir::Node& convolution, ir::Node& pad) {
  Faults discarded;
  const NodeScope scope(graph, convolution, discarded), of_pad(graph, pad, discarded);
  Dims begin = of_pad.Ints(1).value_or(Dims());
  const Dims end = of_pad.Ints(2).value_or(Dims());
  for (size_t axis = 2; axis < begin.size() && axis < end.size(); ++axis) {
    const auto at = static_cast<int64_t>(axis);
    const std::optional<ops::WindowWalk> walked = ops::WindowWalkOf(scope, at);
    if (!walked || begin[axis] == 0 || end[axis] != 0 || begin[axis] != walked->past()) continue;
    if (walked->stride != 1 || walked->before != 0 || walked->behind != 0) continue;
    SetPadBefore(convolution, scope, at, begin[axis]);
    convolution.attributes["auto_pad"] = "explicit";
    pad.outputs[0].type.dims[axis] -= begin[axis];
    begin[axis] = 0;
    pad.inputs[1] = NewInts(graph, pad, of_pad.input_type(1), begin);
  }
}

}  // namespace

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
  auto bytes =
      std::make_shared<std::vector<std::byte>>(static_cast<size_t>(DenseBytes(type).value_or(0)));
  const ir::Source zeros = NewConstant(graph, convolution, {type, bytes, *bytes});
  const ir::Source read = NewReadValue(graph, convolution, name, zeros);
  const ir::Source joined = NewConcat(graph, convolution, {read, data}, axis);
  const ir::Source last = NewSlice(graph, convolution, joined,
                                   {{-past}, {std::numeric_limits<int64_t>::max()}, {1}, {axis}});
  for (const ir::Source& source : {read, last}) source.node->outputs[0].type = type;
  joined.node->outputs[0].type = joined_type;
  NewAssign(graph, convolution, name, last);
  Faults discarded;
  const NodeScope scope(graph, convolution, discarded);
  SetPadBefore(convolution, scope, axis, 0);
  convolution.inputs[0] = joined;
}

}  // namespace weft::graph
