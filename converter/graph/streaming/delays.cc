// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/delays.h"

#include <limits>
#include <utility>
#include <vector>

#include "converter/graph/lower.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();

ir::Source Filled(ir::Graph& graph, const ir::Node& like, const TensorType& type, double fill) {
  const auto count = static_cast<size_t>(ElementCount(type.dims).value_or(0));
  if (!IsFloat(type.type)) {
    return NewInts(graph, like, type, std::vector<int64_t>(count, static_cast<int64_t>(fill)));
  }
  return NewFloats(graph, like, type.dims, std::vector<float>(count, static_cast<float>(fill)));
}

TensorType WithExtent(TensorType type, int64_t axis, int64_t extent) {
  type.dims[static_cast<size_t>(axis)] = extent;
  return type;
}

int64_t ExtentOf(const ir::Source& source, int64_t axis) {
  return TypeOf(source).dims[static_cast<size_t>(axis)];
}

ir::Source Typed(const ir::Source& source, const TensorType& type) {
  source.node->outputs[0].type = type;
  return source;
}

ir::Source Part(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t begin,
                int64_t count) {
  const int64_t end = begin < 0 && begin + count == 0 ? kToEnd : begin + count;
  const ir::Source part = NewSlice(graph, *source.node, source, {{begin}, {end}, {1}, {axis}});
  return Typed(part, WithExtent(TypeOf(source), axis, count));
}

ir::Source Joined(ir::Graph& graph, const ir::Node& like, const ir::Source& first,
                  const ir::Source& second, int64_t axis) {
  const int64_t extent = ExtentOf(first, axis) + ExtentOf(second, axis);
  return Typed(NewConcat(graph, like, {first, second}, axis),
               WithExtent(TypeOf(second), axis, extent));
}

ir::Source Read(ir::Graph& graph, const ir::Node& like, const std::string& name,
                const TensorType& type, double fill) {
  return Typed(NewReadValue(graph, like, name, Filled(graph, like, type, fill)), type);
}

// One place a run: an addition, which must not become the start of a product.
void AddToSum(ir::Graph& graph, ir::Node& node, const ir::Source& before, bool exclusive,
              const std::string& name) {
  const ir::Source data = node.inputs[0];
  ir::Node* sum = exclusive ? NewNode(graph, node, "Add", 1, {before, data}) : &node;
  if (exclusive) {
    BecomeReshape(graph, node, before, TypeOf(before).dims);
  } else {
    Become(node, "Add", 1, {before, data});
  }
  sum->attributes[kRoundsApart] = "true";
  sum->outputs[0].type = TypeOf(data);
  NewAssign(graph, node, name, {sum, 0});
}

}  // namespace

TensorType PastType(const ir::Node& node, const Delay& delay) {
  return WithExtent(TypeOf(node.inputs[0]), delay.axis, delay.past);
}

TensorType SumType(const ir::Node& node, const RunningSum& sum) {
  return WithExtent(TypeOf(node.inputs[0]), sum.axis, 1);
}

void ReadPast(ir::Graph& graph, ir::Node& node, const Delay& delay, const std::string& name) {
  const ir::Source data = node.inputs[0];
  const ir::Source read = Read(graph, node, name, PastType(node, delay), delay.fill);
  const ir::Source joined = Joined(graph, node, read, data, delay.axis);
  NewAssign(graph, node, name, Part(graph, joined, delay.axis, -delay.past, delay.past));
  node.inputs[0] = joined;
  if (!delay.shifts) return;
  const ir::Source shifted = Part(graph, joined, delay.axis, 0, ExtentOf(data, delay.axis));
  BecomeReshape(graph, node, shifted, TypeOf(shifted).dims);
}

void ReadSum(ir::Graph& graph, ir::Node& node, const RunningSum& sum, const std::string& name) {
  const ir::Source data = node.inputs[0];
  const TensorType type = TypeOf(data);
  const ir::Source before = Read(graph, node, name, SumType(node, sum), 0);
  const int64_t places = ExtentOf(data, sum.axis);
  const bool adds = IsFloat(type.type) || ElementBytes(type.type) >= 4;
  if (places == 1 && adds) return AddToSum(graph, node, before, sum.exclusive, name);
  const ir::Source joined = Joined(graph, node, before, data, sum.axis);
  std::vector<ir::Source> inputs = node.inputs;
  inputs[0] = joined;
  const std::string of(node.operation->name);
  ir::Node* sums = NewNode(graph, node, of, node.operation->opset, std::move(inputs));
  const ir::Source all = Typed({sums, 0}, TypeOf(joined));
  NewAssign(graph, node, name, Part(graph, all, sum.axis, -1, 1));
  const ir::Source own = Part(graph, all, sum.axis, sum.exclusive ? 0 : 1, places);
  BecomeReshape(graph, node, own, type.dims);
}

}  // namespace weft::graph
