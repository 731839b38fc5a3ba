// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/length_values.h"

#include <algorithm>

#include "converter/graph/infer.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {
namespace {

// A tensor with a value for each step has one flag.
size_t CountOf(const ir::Source& source) {
  if (ir::OpenAxes(source) != 0) return 1;
  return static_cast<size_t>(std::max<int64_t>(ElementCount(DimsOf(source)).value_or(1), 1));
}

bool IsOpen(const ir::Source& source, int64_t axis) {
  return ir::IsOpen(source, static_cast<size_t>(axis));
}

// The stop of a Range only determines the number of elements; the start and the step determine
// their values.
bool OnlyStopDepends(const ir::Node& node, const std::set<size_t>& inputs) {
  return node.operation->name == "Range" && inputs == std::set<size_t>{1};
}

}  // namespace

LengthValues::LengthValues(const ir::Graph& graph, const Folding& folding)
    : graph_(graph), folding_(folding), origins_(graph) {}

bool LengthValues::Depend(const ir::Source& source) { return !Of(source).empty(); }

bool LengthValues::OnlyInputDepends(ir::Node& node, size_t input) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (i != input && Depend(node.inputs[i])) return false;
  }
  return true;
}

const LengthValues::Flags& LengthValues::Of(const ir::Source& source) {
  const auto [found, fresh] = known_.try_emplace({source.node, source.port});
  if (!fresh) return found->second;
  Flags flags = Find(source);
  if (std::ranges::find(flags, true) == flags.end()) flags.clear();
  return known_[{source.node, source.port}] = std::move(flags);
}

LengthValues::Flags LengthValues::Find(const ir::Source& source) {
  ir::Node& node = *source.node;
  if (node.constant) {
    const ir::Source origin = origins_.Of(node);
    return origin.node == nullptr ? Flags() : Of(origin);
  }
  if (node.operation == nullptr) return {};
  const size_t count = CountOf(source);
  if (node.operation->traits.shape_only) {
    Flags flags(count, ir::OpenAxes(node.inputs[0]) != 0);
    const bool is_extents = count == DimsOf(node.inputs[0]).size();
    for (size_t axis = 0; is_extents && axis < count; ++axis) {
      flags[axis] = IsOpen(node.inputs[0], static_cast<int64_t>(axis));
    }
    return flags;
  }
  std::set<size_t> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (Depend(node.inputs[i])) inputs.insert(i);
  }
  if (LosesOpenAxis(node)) return Flags(count, true);
  if (inputs.empty() || KeepsElements(node, inputs)) return {};
  const ops::Traits& traits = node.operation->traits;
  const bool moves = traits.joins || ((traits.reshapes || traits.picks || traits.converts) &&
                                      inputs == std::set<size_t>{0});
  if (moves) return FlagsOfMoved(node, source.port);
  return traits.pointwise ? FlagsOfPointwise(node, count) : Flags(count, true);
}

// Returns true if an open axis of an input is no axis of the outputs, for example if it is summed.
bool LengthValues::LosesOpenAxis(ir::Node& node) {
  const AxisRelation relation = ops::RelationOf(graph_, node);
  const ops::Traits& traits = node.operation->traits;
  if (relation.reshapes || traits.pointwise || traits.converts || traits.joins) return false;
  const auto goes_on = [&](const PortAxis& at) {
    if (relation.sum && relation.sum->axis == at.axis && at.port == 0) return true;
    return std::ranges::any_of(relation.groups, [&](const AxisGroup& group) {
      return std::ranges::find(group, at) != group.end() &&
             std::ranges::any_of(group, &PortAxis::output);
    });
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    for (int64_t axis = 0; axis < std::ssize(DimsOf(node.inputs[i])); ++axis) {
      if (IsOpen(node.inputs[i], axis) && !goes_on({false, i, axis})) return true;
    }
  }
  return false;
}

// Returns true if these inputs only determine the number of elements.
bool LengthValues::KeepsElements(ir::Node& node, const std::set<size_t>& inputs) const {
  constexpr size_t kEnd = 2;  // of a slice: data, begin, end
  if (OnlyStopDepends(node, inputs)) return true;
  const AxisRelation relation = ops::RelationOf(graph_, node);
  if (relation.stretches || relation.reshapes) return !inputs.contains(0);
  return relation.selects && inputs == std::set<size_t>{kEnd};
}

// Applies the operation to the flags, which moves them like the elements.
LengthValues::Flags LengthValues::FlagsOfMoved(ir::Node& node, uint32_t port) {
  const Flags all(CountOf({&node, port}), true);
  ir::Graph again;
  again.file = graph_.file;
  std::vector<ir::Source> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Source& input = node.inputs[i];
    const TensorType& type = TypeOf(input);
    const bool is_data = i == 0 || node.operation->traits.joins;
    if (!is_data) {
      if (!input.node->constant) return all;
      inputs.push_back(NewConstant(again, *input.node, *input.node->constant));
      continue;
    }
    Flags flags = Of(input);
    flags.resize(CountOf(input), false);
    if (IsFloat(type.type) ? type.type != ElementType::f32 : ElementBytes(type.type) == 0) {
      return all;
    }
    inputs.push_back(
        NewNumbers(again, node, type, std::vector<double>(flags.begin(), flags.end())));
  }
  ir::Node* copy =
      NewNode(again, node, std::string(node.operation->name), node.operation->opset,
              std::move(inputs), static_cast<uint32_t>(node.outputs.size()), node.attributes);
  const ir::Node* result = NewResult(again, node, {copy, port});
  Faults discarded;
  Folding of_copy{folding_.run};
  InferAndFold(again, {.check_declared = false}, of_copy, discarded);
  const ir::Source moved = result->inputs[0];
  if (!moved.node->constant) return all;
  if (IsFloat(TypeOf(moved).type)) return all;
  const std::vector<int64_t> numbers = IntsOf(moved);
  Flags flags;
  for (const int64_t number : numbers) flags.push_back(number != 0);
  return flags.empty() ? all : flags;
}

LengthValues::Flags LengthValues::FlagsOfPointwise(ir::Node& node, size_t count) {
  Flags flags(count, false);
  for (const ir::Source& input : node.inputs) {
    const Flags& of_input = Of(input);
    if (of_input.empty()) continue;
    if (of_input.size() != count && of_input.size() != 1) return Flags(count, true);
    for (size_t i = 0; i < count; ++i) {
      if (of_input[of_input.size() == 1 ? 0 : i]) flags[i] = true;
    }
  }
  return flags;
}

std::set<const ir::Node*> ConstantsOfOpenLength(const ir::Graph& graph, const Folding& folding) {
  LengthValues values(graph, folding);
  std::set<const ir::Node*> constants;
  for (ir::Node* node : ir::Topological(graph)) {
    if (node->constant && values.Depend({node, 0})) constants.insert(node);
  }
  return constants;
}

}  // namespace weft::graph
