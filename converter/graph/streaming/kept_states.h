// SPDX-License-Identifier: Apache-2.0
// States of time loops that the model itself keeps between runs: their initial value is a variable,
// to which their last value is assigned. Streaming adds no variable for these states.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_KEPT_STATES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_KEPT_STATES_H_

#include <set>
#include <utility>
#include <vector>

#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The ReadValues and carried states that need no further variable.
struct KeptStates {
  std::set<const ir::Node*> reads;  // ReadValues that keep a time loop's state
  std::set<std::pair<const ir::Node*, const Carried*>> carried;
};

// Returns the variables and carried states of the model itself. `time_loops` must outlive the
// result, unchanged.
KeptStates KeptStatesOf(const ir::Graph& graph, const std::vector<TimeLoop>& time_loops);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_KEPT_STATES_H_
