// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/canonical/axis_path.h"

#include <algorithm>
#include <numeric>

#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

AxisOrigins OwnAxes(size_t rank) {
  AxisOrigins own(rank);
  std::iota(own.begin(), own.end(), 0);
  return own;
}

bool IsOnPath(const ir::Node& node) {
  if (node.constant || node.operation == nullptr || node.outputs.size() != 1) return false;
  return ops::TraitsOf(node).reshapes || IsCalled(node, "Transpose");
}

std::optional<AxisOrigins> OriginsAfter(const ir::Node& node, const AxisOrigins& origins) {
  AxisOrigins after;
  if (IsCalled(node, "Transpose")) {
    const auto order = PermutationOf(node);
    if (!order) return std::nullopt;
    for (const size_t axis : *order) after.push_back(origins[axis]);
    return after;
  }
  const Dims &from = TypeOf(node.inputs[0]).dims, &to = node.outputs[0].type.dims;
  size_t at = 0;
  const auto skip_ones = [&] {
    while (at < from.size() && from[at] == 1) ++at;
  };
  for (const int64_t extent : to) {
    if (extent == 1) {
      after.push_back(-1);
      continue;
    }
    skip_ones();
    if (at == from.size() || from[at] != extent) return std::nullopt;
    after.push_back(origins[at++]);
  }
  return after;
}

}  // namespace

std::pair<AxisPath, ir::Source> PathTo(ir::Source source) {
  AxisPath path;
  for (; IsOnPath(*source.node); source = source.node->inputs[0]) path.push_back(source.node);
  std::ranges::reverse(path);
  return {std::move(path), source};
}

std::optional<AxisOrigins> OriginsAtEnd(const AxisPath& path, size_t rank) {
  std::optional<AxisOrigins> origins = OwnAxes(rank);
  for (const ir::Node* node : path) {
    if (origins) origins = OriginsAfter(*node, *origins);
  }
  return origins;
}

int64_t PositionOf(const AxisOrigins& origins, size_t origin) {
  const auto found = std::ranges::find(origins, static_cast<int64_t>(origin));
  return found == origins.end() ? -1 : found - origins.begin();
}

bool KeepsChanged(const AxisPath& path, const Dims& before, const Dims& after) {
  const AxisOrigins origins = OriginsAtEnd(path, before.size()).value();
  for (size_t axis = 0; axis < before.size(); ++axis) {
    if (before[axis] != after[axis] && PositionOf(origins, axis) < 0) return false;
  }
  return true;
}

ir::Source Along(ir::Graph& graph, const ir::Node& like, const AxisPath& path, ir::Source source) {
  const ir::Source before = source;
  const Dims first = TypeOf(before).dims;
  AxisOrigins origins = OwnAxes(first.size());
  for (const ir::Node* node : path) {
    origins = OriginsAfter(*node, origins).value();
    if (IsCalled(*node, "Transpose")) {
      source = NewOperation(graph, like, "Transpose", 1, {source, node->inputs[1]});
      continue;
    }
    Dims dims, pattern;
    for (const int64_t origin : origins) {
      dims.push_back(origin < 0 ? 1 : first[static_cast<size_t>(origin)]);
      // The pattern must hold for every number of steps (ir/time_length.h).
      const bool is_open = origin >= 0 && ir::IsOpen(before, static_cast<size_t>(origin));
      pattern.push_back(is_open ? -1 : dims.back());
    }
    if (TypeOf(source).dims == dims) continue;
    const bool is_known = std::ranges::count(pattern, -1) == 1;
    const ir::Source target = NewInts(graph, like, is_known ? pattern : dims);
    source = NewOperation(graph, like, "Reshape", 1, {source, target});
  }
  return source;
}

}  // namespace weft::graph
