// SPDX-License-Identifier: Apache-2.0
// Gives every tensor through which time runs N steps of it, and every constant that speaks of the
// time axis (target shapes, bounds of slices, repeats) the numbers that fit. What cannot be cut has
// been refused before.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_RESIZE_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_RESIZE_H_

#include <cstdint>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The part of a selection's axis that lies in the last step, if all of it does.
bool TakesLastStep(const Selection& selection, const TimeAxis& time, int64_t steps);

// A constant whose steps are all alike may be cut.
bool IsAlikeAtEveryStep(const ir::Constant& constant, const TimeAxis& time, int64_t steps);

// Do two such constants, of time axes of different lengths, repeat the same step?
bool HaveTheSameStep(const ir::Constant& a, const ir::Constant& b, const TimeAxis& time);

// So many steps of a constant whose steps are all alike.
void RepeatStep(ir::Constant& constant, const TimeAxis& time, int64_t steps);

// Where input 1 says how far the axes of the output stretch: this axis to this extent.
void SetStretch(ir::Graph& graph, ir::Node& node, int64_t axis, int64_t extent);

void Resize(ir::Graph& graph, const TimeAxes& times, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_RESIZE_H_
