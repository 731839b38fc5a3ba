// SPDX-License-Identifier: Apache-2.0
// Resizes every tensor with time to N steps, and adapts constants that refer to the time axis
// (target shapes, bounds of slices, repeats). Nodes that cannot be streamed were refused before.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_RESIZE_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_RESIZE_H_

#include <cstdint>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {

// Returns true if all selected elements are in the last step.
bool TakesLastStep(const Selection& selection, const TimeAxis& time, int64_t steps);

// Returns true if all steps of the constant are equal, so that it can be streamed.
bool IsAlikeAtEveryStep(const ir::Constant& constant, const TimeAxis& time, int64_t steps);

// Returns true if two such constants, with time axes of different lengths, repeat the same step.
bool HaveTheSameStep(const ir::Constant& a, const ir::Constant& b, const TimeAxis& time);

// Gives a constant with equal steps `steps` of them.
void RepeatStep(ir::Constant& constant, const TimeAxis& time, int64_t steps);

// Replaces the node by a slice of input 0 with one run per axis, reshaped to the node's output.
void BecomeSlice(ir::Graph& graph, ir::Node& node, const std::vector<ops::Runs>& runs);
// Gives a constant of floats `positions` positions of its time axis, each with the numbers of
// `late` positions before. The first position and the last step repeat.
void DelayPositions(ir::Node& node, const TimeAxis& time, int64_t late, int64_t positions);

// Sets an extent in input 1, which holds the output's extents, for example of a Broadcast.
void SetBroadcastExtent(ir::Graph& graph, ir::Node& node, int64_t axis, int64_t extent);

// Resizes all tensors and constants with time to `steps` steps.
void Resize(ir::Graph& graph, const TimeAxes& times, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_RESIZE_H_
