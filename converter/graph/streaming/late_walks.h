// SPDX-License-Identifier: Apache-2.0
// Walks whose data comes late: their states must stand still until the first step of the model has
// come.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATE_WALKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATE_WALKS_H_

#include <cstdint>

#include "converter/graph/streaming/walks.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The sequence, TensorIterator or Loop goes on for `steps`, its inputs having them already. False
// where it knows its number of steps in another way.
bool SetSteps(ir::Graph& graph, const Walk& walk, int64_t steps);

// Its states hold their initial values over the first `late` of `steps`. A sequence becomes a
// TensorIterator of its cell, which takes its place.
void HoldStates(ir::Graph& graph, const Walk& walk, int64_t late, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATE_WALKS_H_
