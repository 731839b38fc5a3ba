// SPDX-License-Identifier: Apache-2.0
// Keys and values of the past, for attention along time that is cut (attention.h).
//
// Both are rings (ops/ring.h) that products read where they lie (program/ring_products.h): the
// places of keys side by side, for they become columns, those of values row by row.
//
// A softmax sums in lanes by a key's place, a product in the order of the keys. So keys and values
// are read in their order, the oldest first, and the scores are moved on to the lanes of their
// places for the softmax and back behind it. What a place excludes weighs 0: one bit, the sign of a
// zero, may differ where all that it sees is too small to be distinguished from zero.
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

// Describes the variable that says where a node's ring starts; returns its name.
using NewStart = std::function<std::string(const ir::Node& node)>;

// Of a graph cut to fewer steps: what attentions along time read of the past. `steps_so_far` is
// i64[1], nothing where none of them counts steps.
void KeepKeys(ir::Graph& graph, const TimeAxes& times,
              const std::vector<CausalAttention>& attentions, const ir::Source& steps_so_far,
              const NewState& new_state, const NewStart& new_start);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_KEYS_H_
