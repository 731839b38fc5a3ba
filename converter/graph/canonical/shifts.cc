// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/canonical/shifts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {
namespace {

// Returns one element if all are equal.
std::optional<ir::Constant> OneOf(const ir::Constant& constant) {
  const auto size = static_cast<size_t>(ElementBytes(constant.type.type));
  if (size == 0 || constant.bytes.size() < size) return std::nullopt;
  const std::span<const std::byte> first = constant.bytes.first(size);
  for (size_t at = size; at < constant.bytes.size(); at += size) {
    if (!std::ranges::equal(first, constant.bytes.subspan(at, size))) return std::nullopt;
  }
  return ir::Constant{{constant.type.type, {}}, constant.owner, first};
}

// Returns one element if all elements of these constants are equal.
std::optional<ir::Constant> OneOfAll(std::span<const ir::Source> sources) {
  std::optional<ir::Constant> all;
  for (const ir::Source& source : sources) {
    const ir::Constant* const constant = ConstantOf(source);
    const std::optional<ir::Constant> one = constant ? OneOf(*constant) : std::nullopt;
    if (!one || (all && !std::ranges::equal(one->bytes, all->bytes))) return std::nullopt;
    all = one;
  }
  return all;
}

// Returns the only axis along which two tensors differ.
std::optional<int64_t> DifferingAxis(const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::optional<int64_t> axis;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (axis) return std::nullopt;
    axis = static_cast<int64_t>(i);
  }
  return axis;
}

// Returns true if the tensor is the first position of `data`, also if its axis was removed and
// added again (`x[:, 0].unsqueeze(1)`), or copies of it by index.
bool TakesFirst(const ir::Graph& graph, const ir::Source& source, const ir::Source& data,
                int64_t axis) {
  ir::Node* node = source.node;
  while (ops::TraitsOf(*node).reshapes && !node->constant) node = node->inputs[0].node;
  if (node->constant || node->inputs.empty() || node->inputs[0] != data) return false;
  const std::optional<Gathering> gathered = GatheringOf(graph, *node);
  if (gathered && node == source.node && std::ranges::count(gathered->indices, 0) > 1) {
    const bool is_row = TypeOf(node->inputs[1]).dims.size() == 1;
    return is_row && static_cast<int64_t>(gathered->axis) == axis &&
           std::ranges::count(gathered->indices, 0) == std::ssize(gathered->indices);
  }
  const ops::AxisRelation relation = ops::RelationOf(graph, *node);
  const std::vector<ops::Selection>& taken = relation.selections;
  if (taken.size() != 1 || taken[0].axis != axis || taken[0].begin != 0 || taken[0].end != 1) {
    return false;
  }
  Dims dims = TypeOf(data).dims;
  dims[static_cast<size_t>(axis)] = 1;
  return dims == TypeOf(source).dims &&
         ElementCount(dims) == ElementCount(node->outputs[0].type.dims);
}

// Returns true if all positions of the tensor are the first position of `data`: a slice, or several
// copies of one.
bool RepeatsFirst(const ir::Graph& graph, const ir::Source& source, const ir::Source& data,
                  int64_t axis) {
  ir::Node& node = *source.node;
  if (node.constant || node.inputs.empty()) return false;
  if (TakesFirst(graph, source, data, axis)) return true;
  const bool copies = IsCalled(node, "Tile") || IsCalled(node, "Broadcast");
  const size_t parts = IsCalled(node, "Concat") ? node.inputs.size() : copies ? 1 : 0;
  if (parts == 0) return false;
  return std::all_of(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(parts),
                     [&](const ir::Source& part) {
                       const Dims &in = TypeOf(part).dims, &out = TypeOf(source).dims;
                       const bool fits = in == out || DifferingAxis(in, out) == axis;
                       return fits && RepeatsFirst(graph, part, data, axis);
                     });
}

// Returns the content of the positions that a concatenation adds before `data`, its last input: one
// number, or the first element of `data`.
std::optional<BorderFill> FillBy(ir::Graph& graph, ir::Node& join, const ir::Source& data,
                                 int64_t axis) {
  const std::span<const ir::Source> added(join.inputs.data(), join.inputs.size() - 1);
  const auto repeats = [&](const ir::Source& part) {
    return RepeatsFirst(graph, part, data, axis);
  };
  if (std::ranges::all_of(added, repeats)) {
    return BorderFill{.number = std::nullopt, .repeats = true};
  }
  const std::optional<ir::Constant> one = OneOfAll(added);
  if (!one) return std::nullopt;
  return BorderFill{.number = NewConstant(graph, join, *one)};
}

// Converts [added..., data].
void JoinToPad(ir::Graph& graph, ir::Node& join) {
  const ir::Source data = join.inputs.back();
  const std::optional<int64_t> axis = DifferingAxis(TypeOf(data).dims, join.outputs[0].type.dims);
  if (data.node->constant || !axis) return;
  const auto at = static_cast<size_t>(*axis);
  const int64_t positions = join.outputs[0].type.dims[at] - TypeOf(data).dims[at];
  const std::optional<ops::Selection> kept = SliceOf(graph, *data.node);
  if (kept && kept->axis == *axis && kept->begin == 0) {
    const ir::Source all = data.node->inputs[0];
    const std::optional<BorderFill> fill = FillBy(graph, join, all, *axis);
    if (fill && TypeOf(all).dims[at] - kept->end == positions) {
      return BecomeBorder(graph, join, all, *fill, *axis, positions, /*shifts=*/true);
    }
  }
  const std::optional<BorderFill> fill = FillBy(graph, join, data, *axis);
  if (fill) BecomeBorder(graph, join, data, *fill, *axis, positions, /*shifts=*/false);
}

// Converts [constants..., data, constants...] with a constant after the data, all of one number.
void JoinToPads(ir::Graph& graph, ir::Node& join) {
  const auto is_data = [](const ir::Source& input) { return !input.node->constant; };
  const auto data = std::ranges::find_if(join.inputs, is_data);
  if (std::ranges::count_if(join.inputs, is_data) != 1 || is_data(join.inputs.back())) return;
  const std::optional<int64_t> axis = DifferingAxis(TypeOf(*data).dims, join.outputs[0].type.dims);
  const std::optional<ir::Constant> one = OneOf(*join.inputs.back().node->constant);
  if (!axis || !one) return;
  int64_t before = 0, after = 0;
  for (auto input = join.inputs.begin(); input != join.inputs.end(); ++input) {
    if (input == data) continue;
    const std::optional<ir::Constant> number = OneOf(*input->node->constant);
    if (!number || !std::ranges::equal(number->bytes, one->bytes)) return;
    (input < data ? before : after) += TypeOf(*input).dims[static_cast<size_t>(*axis)];
  }
  const BorderFill fill = {.number = NewConstant(graph, join, *one)};
  BecomeBorders(graph, join, ir::Source(*data), fill, *axis, before, after);
}

void SliceToShift(ir::Graph& graph, ir::Node& slice) {
  const std::optional<ops::Selection> taken = SliceOf(graph, slice);
  if (!taken) return;
  ir::Node& pad = *slice.inputs[0].node;
  const std::optional<Border> border = BorderOf(graph, pad);
  if (!border) return;
  const ir::Source data = pad.inputs[0];
  if (DifferingAxis(TypeOf(data).dims, pad.outputs[0].type.dims) != taken->axis) return;
  const int64_t before = border->begin[static_cast<size_t>(taken->axis)] - taken->begin;
  const int64_t positions = TypeOf(data).dims[static_cast<size_t>(taken->axis)];
  if (before < 0 || taken->end - taken->begin != positions) return;
  if (before == 0) return TakeAll(graph, slice, data);
  BecomeBorder(graph, slice, data, FillOf(pad, *border), taken->axis, before, /*shifts=*/true);
}

}  // namespace

std::optional<ops::Selection> SliceOf(const ir::Graph& graph, ir::Node& node) {
  if (node.constant || node.inputs.empty() || node.outputs.size() != 1) return std::nullopt;
  const ops::AxisRelation relation = ops::RelationOf(graph, node);
  const std::vector<ops::Selection>& taken = relation.selections;
  if (taken.size() != 1) return std::nullopt;
  Dims dims = TypeOf(node.inputs[0]).dims;
  for (size_t axis = 0; axis < relation.runs.size(); ++axis) {
    const bool is_whole = ops::IsInOrder(relation.runs[axis], dims[axis]);
    if (static_cast<int64_t>(axis) != taken[0].axis && !is_whole) return std::nullopt;
  }
  dims[static_cast<size_t>(taken[0].axis)] = taken[0].end - taken[0].begin;
  return dims == node.outputs[0].type.dims ? std::optional(taken[0]) : std::nullopt;
}

void SeparateConstants(ir::Graph& graph) {
  std::set<const ir::Node*> used;
  for (ir::Node* node : ir::Topological(graph)) {
    for (ir::Source& source : node->inputs) {
      if (!source.node->constant || used.insert(source.node).second) continue;
      std::unique_ptr<ir::Node> copy = ir::CopyOf(*source.node);
      source.node = copy.get();
      graph.nodes.push_back(std::move(copy));
    }
  }
}

void RejoinConstants(ir::Graph& graph) {
  using Identity = std::tuple<int64_t, std::string, const std::byte*, Dims>;
  std::map<Identity, ir::Node*> known;
  for (ir::Node* node : ir::Topological(graph)) {
    for (ir::Source& source : node->inputs) {
      const ir::Node& constant = *source.node;
      if (!constant.constant) continue;
      const Identity key = {constant.id, constant.name, constant.constant->bytes.data(),
                            constant.constant->type.dims};
      source.node = known.try_emplace(key, source.node).first->second;
    }
  }
}

void JoinsToPads(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    const bool joins = node->operation != nullptr && !node->constant &&
                       node->operation->name == "Concat" && node->inputs.size() > 1;
    if (!joins) continue;
    JoinToPad(graph, *node);
    if (IsCalled(*node, "Concat")) JoinToPads(graph, *node);
  }
}

void SlicesOfPads(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) SliceToShift(graph, *node);
}

}  // namespace weft::graph
