// SPDX-License-Identifier: Apache-2.0
// Describes the ports of a streaming model and their time axes.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_PORTS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_PORTS_H_

#include <cstdint>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Sets `steps` and the ports, in their order. `graph` has its final shapes.
void DescribePorts(const ir::Graph& graph, const TimeAxes& times, int64_t steps,
                   Streamed& streamed);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_PORTS_H_
