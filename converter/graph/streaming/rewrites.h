// SPDX-License-Identifier: Apache-2.0
// The rewrites before the analysis of time: variants of padding, shifts, frames and attention
// become one form each, so that the analysis reads only these forms. Results are bit-identical.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_REWRITES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_REWRITES_H_

#include <set>
#include <vector>

#include "converter/base/pass_parts.h"
#include "converter/graph/canonical/pads.h"
#include "converter/graph/streaming/attention.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A graph that is rewritten, and what the rewrites found in it.
struct Rewritten {
  ir::Graph& graph;
  const Folding* folding = nullptr;  // set if time has T steps (ir/time_length.h)
  std::vector<CausalAttention> attentions = {};
  std::vector<const ir::Node*> ahead = {};  // attentions that are not known to be causal
  std::vector<FilledWindow> filled = {};
  std::set<const ir::Node*> started = {};  // additions that start a product
};

// Calls `observe`, if it is set, after each rewrite.
void Rewrite(Rewritten& rewritten, const PartObserver<ir::Graph>& observe);
std::vector<PartText> RewriteParts();

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_REWRITES_H_
