// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/permutation.h"

#include <algorithm>
#include <utility>

#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

const ir::OutputPort& PortOf(const ir::Node& node, Port port) {
  if (port.output) return node.outputs[port.index];
  const ir::Source& source = node.inputs[port.index];
  return source.node->outputs[source.port];
}

bool HasRunTimeLength(const ir::Node& node) {
  const auto is_open = [](const ir::OutputPort& port) { return port.run_time_extent.has_value(); };
  return std::ranges::any_of(node.outputs, is_open) ||
         std::ranges::any_of(node.inputs, [](const ir::Source& source) {
           return ir::ExtentOf(source).has_value();
         });
}

// Returns true if the node supports both orders and the tensor of `key` is channels-last.
bool IsLast(const NodeScope& scope, const char* key) { return scope.attributes.Has(key); }

}  // namespace

std::vector<size_t> LastOrder(size_t rank) {
  std::vector<size_t> order = {0};
  for (size_t axis = 2; axis < rank; ++axis) order.push_back(axis);
  order.push_back(1);
  return order;
}

int64_t LastPosition(int64_t axis, size_t rank) {
  const size_t wrapped = WrappedAxis(axis, static_cast<int64_t>(rank));
  if (wrapped == 0) return 0;
  return static_cast<int64_t>(wrapped == 1 ? rank - 1 : wrapped - 1);
}

Dims ChannelsLast(const Dims& dims) {
  Dims last;
  for (const size_t axis : LastOrder(dims.size())) last.push_back(dims[axis]);
  return last;
}

Dims ChannelsSecond(const Dims& dims) {
  Dims second(dims.size());
  const std::vector<size_t> order = LastOrder(dims.size());
  for (size_t i = 0; i < order.size(); ++i) second[order[i]] = dims[i];
  return second;
}

bool Moves(const Dims& dims) { return dims[1] != 1 && ProductOf(dims, 2, dims.size()) != 1; }

Dims SpecDims(const NodeScope& scope) {
  const Dims& dims = scope.input_dims(0);
  return IsLast(scope, kXLast) ? ChannelsSecond(dims) : dims;
}

Dims OutputOrder(const NodeScope& scope, Dims dims) {
  return IsLast(scope, kYLast) ? ChannelsLast(dims) : dims;
}

PermuteScope::PermuteScope(const ir::Graph& graph, ir::Node& node, Faults& faults)
    : NodeScope(graph, node, faults),
      inputs_(node.inputs.size(), false),
      outputs_(node.outputs.size(), false) {}

void PermuteScope::SetPermuted(std::vector<bool> inputs, std::vector<bool> outputs) {
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  permutation = {};
}

const Dims& PermuteScope::dims(Port port) const { return PortOf(node(), port).type.dims; }

bool PermuteScope::CanPermute(Port port) const {
  const TensorType& type = PortOf(node(), port).type;
  if (!HasChannelAxis(type.dims.size()) || ElementBytes(type.type) == 0) return false;
  return ElementCount(type.dims).value_or(0) > 0 &&
         (port.output || constant(port.index) == nullptr);
}

void PermuteScope::Tie(std::vector<Port> ports) {
  if (std::ranges::all_of(ports, [&](Port port) { return CanPermute(port); })) {
    permutation.ties.push_back(std::move(ports));
  }
}

void PermuteScope::MoveAxes(size_t i, size_t rank) {
  Dims positions;
  for (const int64_t axis : Ints(i).value_or(Dims())) positions.push_back(LastPosition(axis, rank));
  permutation.ints[i] = std::move(positions);
}

void PermuteScope::MoveNumbers(size_t i) {
  const Dims numbers = Ints(i).value_or(Dims());
  if (HasChannelAxis(numbers.size())) permutation.ints[i] = ChannelsLast(numbers);
}

Permutation PermutationRuleOf(PermuteScope& scope) {
  const Traits& traits = TraitsOf(scope.node());
  if (scope.node().constant || HasRunTimeLength(scope.node())) return {};
  if (traits.permutation != nullptr) {
    traits.permutation(scope);
  } else if (traits.pointwise) {
    PointwisePermutation(scope);
  }
  return std::move(scope.permutation);
}

void PointwisePermutation(PermuteScope& scope) {
  if (scope.node().outputs.size() != 1 || !scope.CanPermute(Out(0))) return;
  const Dims& out = scope.dims(Out(0));
  std::vector<Port> ports = {Out(0)};
  for (size_t i = 0; i < scope.input_count(); ++i) {
    const Dims& dims = scope.input_dims(i);
    if (dims.size() > out.size() || ElementBytes(scope.input_element(i)) == 0) return;
    if (dims.size() == out.size() && scope.constant(i) == nullptr) {
      ports.push_back(In(i));
    } else {
      scope.permutation.operands[i] = AlignedDims(scope, i, out);
    }
  }
  if (scope.attributes.Text("auto_broadcast", "numpy") == "pdpd") {
    scope.permutation.attributes["auto_broadcast"] = "numpy";
  }
  scope.Tie(std::move(ports));
}

void SamePermutation(PermuteScope& scope) { scope.Tie({In(0), Out(0)}); }

bool TieKept(PermuteScope& scope, const std::vector<bool>& kept) {
  const size_t rank = scope.dims(In(0)).size();
  std::vector<size_t> before, after;  // axes of output 0 for both orders of input 0
  for (size_t axis = 0; axis < rank; ++axis) {
    if (kept[axis]) before.push_back(axis);
  }
  for (const size_t axis : LastOrder(rank)) {
    if (kept[axis]) after.push_back(axis);
  }
  if (before == after) {
    scope.Tie({In(0)});
    return true;
  }
  if (!HasChannelAxis(before.size())) return false;
  std::vector<size_t> permuted;
  for (const size_t axis : LastOrder(before.size())) permuted.push_back(before[axis]);
  if (permuted != after) return false;
  scope.Tie({In(0), Out(0)});
  return true;
}

}  // namespace weft::ops
