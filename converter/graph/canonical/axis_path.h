// SPDX-License-Identifier: Apache-2.0
// Sequences of operations that permute axes, or add or remove axes of one element. Tracks the axes
// through such a sequence, and repeats it for a tensor with other extents.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_AXIS_PATH_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_AXIS_PATH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// In dataflow order.
using AxisPath = std::vector<const ir::Node*>;

// Returns the sequence that ends at `source`, and its input.
std::pair<AxisPath, ir::Source> PathTo(ir::Source source);

// For each axis of a tensor, the corresponding axis of the sequence's input; -1 for an axis of one
// element that the sequence added.
using AxisOrigins = std::vector<int64_t>;

// Returns the origins after a sequence whose input has `rank` axes; nullopt if an axis is split or
// merged.
std::optional<AxisOrigins> OriginsAtEnd(const AxisPath& path, size_t rank);
// Returns the axis that `origin` became; -1 if it was removed.
int64_t PositionOf(const AxisOrigins& origins, size_t origin);

// Returns true if the sequence keeps every axis whose extent differs between `before` and `after`.
bool KeepsChanged(const AxisPath& path, const Dims& before, const Dims& after);
// Applies the same sequence to `source`, whose dims satisfy KeepsChanged.
ir::Source Along(ir::Graph& graph, const ir::Node& like, const AxisPath& path, ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_AXIS_PATH_H_
