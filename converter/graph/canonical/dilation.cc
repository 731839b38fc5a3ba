// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/canonical/axis_path.h"
#include "converter/graph/canonical/canonical.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/convolve.h"
#include "converter/ops/support/look_back.h"

namespace weft::graph {
namespace {

// Effect of SpaceToBatch and BatchToSpace on each axis; begin and end are pads or crops.
struct Blocks {
  std::vector<int64_t> block, begin, end;
  bool divides(size_t axis) const { return block[axis] != 1; }
  bool touches(size_t axis) const { return divides(axis) || begin[axis] != 0 || end[axis] != 0; }
};

std::optional<Blocks> BlocksOf(const ir::Node& node) {
  Blocks blocks = {IntsOf(node.inputs[1]), IntsOf(node.inputs[2]), IntsOf(node.inputs[3])};
  const size_t rank = TypeOf(node.inputs[0]).dims.size();
  const bool is_known =
      blocks.block.size() == rank && blocks.begin.size() == rank && blocks.end.size() == rank;
  if (!is_known || blocks.touches(0)) return std::nullopt;
  return blocks;
}

struct Blocked {
  ir::Node* convolution;
  ir::Source data;  // input of SpaceToBatch
  AxisPath before, after;
  Blocks space, batch;
};

std::optional<Blocked> BlockedBefore(const ir::Node& node, const ReaderMap& readers) {
  if (!IsCalled(node, "BatchToSpace")) return std::nullopt;
  auto [after, convolved] = PathTo(node.inputs[0]);
  ir::Node& convolution = *convolved.node;
  if (!IsConvolved(convolution) || !IsReadOnce(readers, convolution)) return std::nullopt;
  for (const ir::Node* one : after) {
    if (!IsReadOnce(readers, *one)) return std::nullopt;
  }
  auto [before, divided] = PathTo(convolution.inputs[0]);
  if (!IsCalled(*divided.node, "SpaceToBatch")) return std::nullopt;
  const std::optional<Blocks> space = BlocksOf(*divided.node), batch = BlocksOf(node);
  if (!space || !batch) return std::nullopt;
  return Blocked{&convolution, divided.node->inputs[0], std::move(before), std::move(after), *space,
                 *batch};
}

// Blocks and padding of a spatial axis of the convolution.
struct AxisBlocks {
  int64_t block = 1, pad_begin = 0, pad_end = 0;
};

// Returns the blocks of each spatial axis, with pads minus crops as padding. Returns nullopt unless
// BatchToSpace restores every split axis.
std::optional<std::vector<AxisBlocks>> JoinedBlocks(const Blocked& blocked) {
  const auto& [convolution, data, before, after, space, batch] = blocked;
  const size_t rank = convolution->outputs[0].type.dims.size();
  const std::optional<AxisOrigins> origins = OriginsAtEnd(before, space.block.size());
  const std::optional<AxisOrigins> results = OriginsAtEnd(after, rank);
  if (!origins || !results || origins->front() != 0 || results->front() != 0) return std::nullopt;
  std::vector<AxisBlocks> joined(rank - 2);
  std::vector<int64_t> in_order;  // restored axes, in order
  for (size_t axis = 1; axis < space.block.size(); ++axis) {
    if (!space.touches(axis)) continue;
    const int64_t at = PositionOf(*origins, axis);
    if (at < 2) return std::nullopt;
    joined[static_cast<size_t>(at) - 2] = {space.block[axis], space.begin[axis], space.end[axis]};
    if (!space.divides(axis)) continue;
    in_order.push_back(PositionOf(*results, static_cast<size_t>(at)));
  }
  if (in_order.empty() || !std::ranges::is_sorted(in_order) || in_order.front() < 0) {
    return std::nullopt;
  }
  for (size_t axis = 1; axis < batch.block.size(); ++axis) {
    const int64_t at = (*results)[axis];
    if (at < 2 && batch.touches(axis)) return std::nullopt;
    if (at < 2) continue;
    AxisBlocks& blocks = joined[static_cast<size_t>(at) - 2];
    if (blocks.block != batch.block[axis]) return std::nullopt;
    blocks.pad_begin -= batch.begin[axis];
    blocks.pad_end -= batch.end[axis];
  }
  return joined;
}

// Returns the attributes of the single convolution. Non-finite weights are excluded, because their
// product with a padded zero is NaN.
std::optional<std::map<std::string, std::string>> DilatedAttributes(
    const ir::Graph& graph, ir::Node& convolution, const std::vector<AxisBlocks>& blocks) {
  const Quiet<ops::NodeScope> scope(graph, convolution);
  ops::Window window = ops::ConvolvedWindow(scope);
  const bool is_finite = ops::IsFinite(scope, ops::kFilters);
  std::string dilations;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto& [block, pad_begin, pad_end] = blocks[i];
    ops::WindowAxis& axis = window.axis(i);
    if (block != 1 && axis.stride != 1) return std::nullopt;
    if ((pad_begin > 0 || pad_end > 0) && !is_finite) return std::nullopt;
    axis.pad_begin = axis.pad_begin * block + pad_begin;
    axis.pad_end = axis.pad_end * block + pad_end;
    if (axis.pad_begin < 0 || axis.pad_end < 0) return std::nullopt;
    dilations += (i == 0 ? "" : ",") + std::to_string(axis.dilation * block);
  }
  std::map<std::string, std::string> attributes = convolution.attributes;
  for (auto& [key, value] : ops::PadsOf(window)) attributes[key] = value;
  attributes["dilations"] = dilations;
  return attributes;
}

void JoinBlocks(ir::Graph& graph, ir::Node& node, const Blocked& blocked) {
  const auto& [convolution, data, before, after, space, batch] = blocked;
  const std::optional<std::vector<AxisBlocks>> blocks = JoinedBlocks(blocked);
  if (!blocks) return;
  const auto attributes = DilatedAttributes(graph, *convolution, *blocks);
  const ir::Node& first = before.empty() ? *convolution : *before.front();
  if (!attributes || !KeepsChanged(before, TypeOf(first.inputs[0]).dims, TypeOf(data).dims)) return;
  const ir::Source x = Along(graph, *convolution, before, data);
  const std::string name(convolution->operation->name);
  const ir::Source y =
      NewOperation(graph, *convolution, name, 1, {x, convolution->inputs[1]}, *attributes);
  if (!KeepsChanged(after, convolution->outputs[0].type.dims, TypeOf(y).dims)) return;
  const ir::Source put_back = Along(graph, node, after, y);
  if (TypeOf(put_back) == node.outputs[0].type) ir::HandOver(graph, {&node, 0}, put_back);
}

}  // namespace

void MergeDilations(ir::Graph& graph) {
  const auto readers = Readers(graph);
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) MergeDilations(*body.graph);
    const std::optional<Blocked> blocked = BlockedBefore(*node, readers);
    if (blocked) JoinBlocks(graph, *node, *blocked);
  }
}

}  // namespace weft::graph
