// SPDX-License-Identifier: Apache-2.0
// The first positions of a delayed tensor precede the model's first step. Readers that would read
// padding at these positions need that padding instead, and time loops must keep their states. A
// mask marks the positions that belong to the model. It is a constant while the graph has all
// steps; in the streaming model it is computed from one step counter.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATE_MASKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATE_MASKS_H_

#include <cstdint>
#include <string>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns a boolean constant of these dims: false at the first `late` positions of the axis, true
// elsewhere.
ir::Source NewLateMask(ir::Graph& graph, const ir::Node& like, const Dims& dims, int64_t axis,
                       int64_t late);
// Returns true for a constant created by NewLateMask.
bool IsLateMask(const ir::Node& node);
// Makes `more` additional positions of the mask false, and sets its extent to `positions`.
void DelayLateMask(ir::Graph& graph, ir::Node& mask, int64_t axis, int64_t more, int64_t positions);

// Computes all masks of a graph resized to `steps` from variable `name`, which counts the steps so
// far, up to the maximum that a mask needs. Returns the variable's bytes; 0 if there is no mask.
int64_t ReadLateMasks(ir::Graph& graph, const TimeAxes& times, int64_t steps,
                      const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATE_MASKS_H_
