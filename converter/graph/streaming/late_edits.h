// SPDX-License-Identifier: Apache-2.0
// What a graph is changed by when it waits (latency.h): delays, numbers in the place of what has
// not come, windows whose padding is other, and what is left of a move that is no more.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATE_EDITS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATE_EDITS_H_

#include <cstdint>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/flows.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The tensor so many places later, which begins as so many of `fill`.
ir::Source NewShift(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t places,
                    double fill);

// So many places of `fill`, and the tensor behind them.
ir::Source NewBorder(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t places,
                     double fill);

// A border of one number in front of windows over time, and behind, becomes their padding: what
// JoinPads (pads.h) does in front alone.
void JoinBorders(ir::Graph& graph, const Flows& flows);

// Reads as `fill` at the first `late` places.
ir::Source NewMasked(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t late,
                     double fill);

// Sets the padding of windows, which along their axis have as many places as steps: neither
// rounding nor padding of the output adds some. Without padding before, a mean has no place to
// leave out. False where rounding up would end along other axes, too.
bool SetWindows(ir::Graph& graph, ir::Node& node, const ops::Windows& windows, bool was_padded);

// What was moved by a border or a slice and is no more. Patterns of what stood before it and behind
// were none and do not become such: an Identity is in between, which a reshape of the same dims is
// not.
void PassOn(ir::Graph& graph, ir::Node& node, const ir::Source& data);

// A slice keeps these places of its axis; the others stay as `runs` takes them.
void CutTo(ir::Graph& graph, ir::Node& node, const std::vector<ops::Runs>& runs,
           const Selection& kept);

// Does it take one run of each axis, as CutTo wants it?
bool HasOneRunEach(const AxisRelation& relation);
// Are its runs all that an operation selects by?
bool TakesItsRuns(const AxisRelation& relation);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATE_EDITS_H_
