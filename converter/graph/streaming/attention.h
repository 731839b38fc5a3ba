// SPDX-License-Identifier: Apache-2.0
// Attention along time, softmax(query * key^T, masked) * value, that does not look ahead. Its state
// holds the past keys and values that its constant masks (masks.h) expose. Also supports attention
// without softmax whose masks multiply the scores (retention).
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_ATTENTION_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_ATTENTION_H_

#include <cstdint>
#include <map>
#include <vector>

#include "converter/graph/fold.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/masks.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct CausalAttention {
  ir::Node *scores = nullptr, *product = nullptr;
  ir::Node* softmax = nullptr;    // null without one
  std::vector<ir::Node*> masks;   // between scores and softmax, in order
  std::vector<ir::Node*> shares;  // after the softmax: operations that keep 0
  PortAxis query, key;            // time axes of the operands of the scores
  PortAxis value, result;         // and of the product
  int64_t positions = 0;          // of the masks: T, or fewer (mask_samples.h)
  Reach reach;
};

// Decomposes attention operations that are causal or have a constant mask, and returns all causal
// attentions in `graph`. Adds to `others` the operation or softmax of attentions that are not known
// to be causal. `folding` is set if time has T steps (ir/time_length.h).
std::vector<CausalAttention> ReadAttentions(ir::Graph& graph, const Folding* folding,
                                            std::vector<const ir::Node*>& others);

// Returns the axis relations of the attention's nodes that differ from those of the operations in
// general.
std::map<const ir::Node*, AxisRelation> RelationsOf(const ir::Graph& graph,
                                                    const CausalAttention& attention);

// Returns true if time runs along the positions that attend, and not along a batch axis.
bool RunsAlong(const TimeAxes& times, const CausalAttention& attention);

// Returns true if the attention needs the number of steps since the reset.
bool CountsSteps(const CausalAttention& attention);

// Returns true if the node is a mask of one of the attentions.
bool IsMask(const std::vector<CausalAttention>& attentions, const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_ATTENTION_H_
