// SPDX-License-Identifier: Apache-2.0
// What is known from the first step on: what selects its places, and all that is made of that and
// of what has no time. Where states begin so they are read in the first run after a reset alone, as
// any other initial state. Elsewhere the value of that run is a variable, which no run changes.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_EARLY_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_EARLY_H_

#include <cstddef>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/walks.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Where the node selects places of the first step alone, along time; else null.
const Selection* FirstStepIn(const TimeAxes& times, const ir::Node& node);

// An input that must go on to hold what the first run gave it.
struct EarlyUse {
  ir::Node* node = nullptr;
  size_t input = 0;
};
std::vector<EarlyUse> EarlyUses(const TimeAxes& times, std::vector<Walk>& walks);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_EARLY_H_
