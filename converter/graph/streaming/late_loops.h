// SPDX-License-Identifier: Apache-2.0
// Time loops with delayed data: their states must not change before the model's first step.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATE_LOOPS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATE_LOOPS_H_

#include <cstdint>

#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Sets the number of iterations of a sequence, TensorIterator or Loop to `steps`, which its inputs
// already have. Returns false if the time loop determines its number of steps in another way.
bool SetSteps(ir::Graph& graph, const TimeLoop& time_loop, int64_t steps);

// Keeps the initial values of its states during the first `late` of `steps` steps. A sequence is
// replaced by a TensorIterator over its cell.
void HoldStates(ir::Graph& graph, const TimeLoop& time_loop, int64_t late, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATE_LOOPS_H_
