// SPDX-License-Identifier: Apache-2.0
// Places of a tensor that comes late hold nothing of the model before its first step has come. What
// reads them as places before the beginning needs its own padding there, and a walk must not move:
// a mask says which places are of the model. It is a constant while the graph has all steps, and
// comes from one counter of the runs' steps once it is cut.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATE_MASKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATE_MASKS_H_

#include <cstdint>
#include <string>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A boolean constant of these dims: false at the first `late` places of the axis, else true.
ir::Source NewLateMask(ir::Graph& graph, const ir::Node& like, const Dims& dims, int64_t axis,
                       int64_t late);
bool IsLateMask(const ir::Node& node);
// The mask is false at so many places more, of as many as it has then.
void DelayLateMask(ir::Graph& graph, ir::Node& mask, int64_t axis, int64_t more, int64_t places);

// The graph is cut to `steps`: masks come from variable `name` from now on, which counts the steps
// so far, up to the last one that a mask asks for. Its bytes; 0 where there is no mask.
int64_t ReadLateMasks(ir::Graph& graph, const TimeAxes& times, int64_t steps,
                      const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATE_MASKS_H_
