// SPDX-License-Identifier: Apache-2.0
// Constants before the data along an axis, concatenated or written as a border of which slices
// select positions. Each becomes the border of a Pad, from which windows and shifts over time are
// recognised (pads.h, and the axis rule of Pad).
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_SHIFTS_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_SHIFTS_H_

#include <optional>

#include "converter/ir/graph.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {

// Reads a slice that selects elements of one axis in order, and all elements of the others.
std::optional<ops::Selection> SliceOf(const ir::Graph& graph, ir::Node& node);

// Gives every reader of a constant its own copy, because two readers may have time along different
// axes.
void SeparateConstants(ir::Graph& graph);
// Merges copies that are still equal, so that later passes see the same readers as in the full
// model.
void RejoinConstants(ir::Graph& graph);

// Converts a constant of one number, or the repeated first element, that is concatenated before
// computed data, to a border. If the data is a slice that removes the same number of last elements,
// the result is a shift: a border before the data and a slice after it. Constants of one number
// after the data, or on both sides, become a border too.
void JoinsToPads(ir::Graph& graph);

// Converts slices of a border, and of the same number of elements after it, to shifts: a separate
// border, and fewer elements at the end.
void SlicesOfPads(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_SHIFTS_H_
