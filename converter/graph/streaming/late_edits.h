// SPDX-License-Identifier: Apache-2.0
// Graph edits that add latency (latency.h): delays, replacement of positions before the first step,
// changed padding of windows, and replacements of removed movement operations. The states of time
// loops with delayed data must not change before the model's first step.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATE_EDITS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATE_EDITS_H_

#include <cstdint>
#include <vector>

#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns the tensor delayed by `positions` positions; the first `positions` positions are `fill`.
ir::Source NewShift(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t positions,
                    double fill);

// Merges a border of one number on both sides of windows over time into their padding. JoinPads
// (pads.h) only merges borders before the first element. Returns false if there is none.
bool JoinBorders(ir::Graph& graph, const TimeAxes& times);

// Returns the tensor with `fill` at the first `late` positions.
ir::Source NewMasked(ir::Graph& graph, const ir::Source& source, int64_t axis, int64_t late,
                     double fill);

// Sets the padding of windows, which have one output per step along their axis: without rounding up
// and without output padding. A mean without padding before it includes all positions.
// CanSetWindows returns false if this would change elements along other axes.
bool CanSetWindows(const ir::Node& node, const ops::Windows& windows);
void SetWindows(ir::Graph& graph, ir::Node& node, const ops::Windows& windows, bool was_padded);

// Replaces a border or slice that no longer moves data by an Identity. Unlike a reshape to the same
// dims, it prevents that patterns match across it, which did not match before.
void PassOn(ir::Graph& graph, ir::Node& node, const ir::Source& data);

// Makes a slice keep these positions of its axis; the other axes stay as in `runs`.
void CutTo(ir::Graph& graph, ir::Node& node, std::vector<ops::Runs> runs, const Selection& kept);

// Delays a constant with one reader and gives it `positions` positions: equal steps are repeated, a
// numbering starts earlier by the delay, and other numbers move. CanDelay returns false if the
// constant differs from step to step in another way.
bool CanDelay(const ir::Node& node, const TimeAxis& time, int64_t late);
void DelayConstant(ir::Graph& graph, ir::Node& node, const TimeAxis& time, int64_t late,
                   int64_t positions);

// Returns true if the node selects one run of each axis, as CutTo requires.
bool HasOneRunEach(const AxisRelation& relation);
// Returns true if the operation selects only by its runs.
bool TakesItsRuns(const AxisRelation& relation);

// Sets the number of iterations of a sequence, TensorIterator or Loop to `steps`, which its inputs
// already have. CanSetSteps returns false if the time loop determines its number of steps in
// another way.
bool CanSetSteps(const TimeLoop& time_loop, int64_t steps);
void SetSteps(ir::Graph& graph, const TimeLoop& time_loop, int64_t steps);

// Keeps the initial values of its states during the first `late` of `steps` steps. A sequence is
// replaced by a TensorIterator over its cell.
void HoldStates(ir::Graph& graph, const TimeLoop& time_loop, int64_t late, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATE_EDITS_H_
