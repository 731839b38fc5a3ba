// SPDX-License-Identifier: Apache-2.0
// States of walks that the model itself keeps from run to run: they begin as a variable and are
// assigned to it at the end. Streaming adds no variable for them.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_KEPT_STATES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_KEPT_STATES_H_

#include <set>
#include <utility>
#include <vector>

#include "converter/graph/streaming/walks.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The tensor whose elements these are, in the same order: before reshapes, and transpositions that
// move only axes of extent 1.
ir::Source SkipReshapes(const ir::Graph& graph, ir::Source source);

struct KeptStates {
  std::set<const ir::Node*> reads;  // ReadValues that keep a walk's state
  std::set<std::pair<const ir::Node*, const Carried*>> carried;
};

// `walks` must outlive the result, unchanged.
KeptStates KeptStatesOf(const ir::Graph& graph, const std::vector<Walk>& walks);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_KEPT_STATES_H_
