// SPDX-License-Identifier: Apache-2.0
// Values that are known from the first step on: selections of its positions, and everything
// computed only from these and from values without time. As an initial state, such a value is read
// only in the first run after a reset. For other uses, a variable holds the value of the first run.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_EARLY_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_EARLY_H_

#include <cstddef>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns the selection if the node selects only positions of the first step along time; else null.
const Selection* FirstStepIn(const TimeAxes& times, const ir::Node& node);

// An input that must keep the value of the first run.
struct EarlyUse {
  ir::Node* node = nullptr;
  size_t input = 0;
};
// Returns the inputs that need a variable for the value of the first run.
std::vector<EarlyUse> EarlyUses(const TimeAxes& times, std::vector<TimeLoop>& time_loops);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_EARLY_H_
