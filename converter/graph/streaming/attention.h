// SPDX-License-Identifier: Apache-2.0
// Attention along time, softmax(query * key^T, masked) * value, that does not look ahead: what its
// constant masks (masks.h) leave of the past is kept, keys and values of the places before.
// Likewise without the softmax, where the masks multiply (retention).
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_ATTENTION_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_ATTENTION_H_

#include <cstdint>
#include <map>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/masks.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct CausalAttention {
  ir::Node *scores = nullptr, *product = nullptr;
  ir::Node* softmax = nullptr;    // null without one
  std::vector<ir::Node*> masks;   // between scores and softmax, in order
  std::vector<ir::Node*> shares;  // between softmax and product: the same, or 0 for NaN
  PortAxis query, key;            // the time axes that the scores are made of
  PortAxis value, result;         // and of the product
  int64_t places = 0;
  Reach reach;
};

// Takes the operation for attention apart where it is causal, and finds all that are; `others` get
// the node that those which are not, or of which nothing says so, normalise in.
std::vector<CausalAttention> ReadAttentions(ir::Graph& graph, std::vector<const ir::Node*>& others);

// Of the nodes of an attention, where they differ from what the operations do elsewhere.
std::map<const ir::Node*, AxisRelation> RelationsOf(const ir::Graph& graph,
                                                    const CausalAttention& attention);

// Does time run along the places that attend, and not beside them?
bool RunsAlong(const TimeAxes& times, const CausalAttention& attention);

// Must it know how many steps there have been?
bool CountsSteps(const CausalAttention& attention);

// Is the node one of their masks?
bool IsMask(const std::vector<CausalAttention>& attentions, const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_ATTENTION_H_
