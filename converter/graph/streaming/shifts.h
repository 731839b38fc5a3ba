// SPDX-License-Identifier: Apache-2.0
// Constants before the data along an axis, as models write them: joined in front, or as a border of
// which slices take the places that they need. Each becomes the border of a Pad, in which windows
// and shifts of time are looked for (pads.h, and the axis rule of Pad).
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_SHIFTS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_SHIFTS_H_

#include <optional>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Of a slice that takes some places of one axis, in their order, and all of the others.
std::optional<Selection> SliceOf(const ir::Graph& graph, ir::Node& node);

// Every reader of a constant reads one of its own: two may differ in where they see time.
void SeparateConstants(ir::Graph& graph);
// Those that are still the same are one again, so that what follows sees as many readers of each as
// in the whole model.
void RejoinConstants(ir::Graph& graph);

// A constant of one number, or the first place once more, joined before what is computed, becomes
// the border before it; where that is a slice without as many places of its end, before and behind
// what is sliced: a shift.
void JoinsToPads(ir::Graph& graph);

// Slices of a border and as many places as there are behind it become shifts: a border of their
// own, and so many places less at the end.
void SlicesOfPads(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_SHIFTS_H_
