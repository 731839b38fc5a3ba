// SPDX-License-Identifier: Apache-2.0
// Keys and values of the past, for streaming attention along time (attention.h).
//
// Both are rings (ops/ring.h) that products read in place (program/passes.h). Keys have
// contiguous positions, because they become columns; values are stored row by row.
//
// A softmax adds in lanes by the position of a key, and a product adds in the order of the keys. So
// keys and values are read oldest first. The scores are moved to the lanes of their positions
// before the softmax, and back after it. Excluded positions have weight 0: the sign of a zero may
// differ if all included products underflow to zero.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_KEYS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_KEYS_H_

#include <functional>
#include <string>
#include <vector>

#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/position.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Adds the variable that holds the start of a node's ring; returns its name.
using NewStart = std::function<std::string(const ir::Node& node)>;

// Adds the past that attentions along time read, in a graph resized to fewer steps. `steps_so_far`
// is i64[1]; it is null if no attention counts steps.
void KeepKeys(ir::Graph& graph, const TimeAxes& times,
              const std::vector<CausalAttention>& attentions, const ir::Source& steps_so_far,
              const NewState& new_state, const NewStart& new_start);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_KEYS_H_
