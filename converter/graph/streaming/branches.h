// SPDX-License-Identifier: Apache-2.0
// Inlines branches whose condition is constant, so that time is propagated through the selected
// body like through other nodes.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_BRANCHES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_BRANCHES_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and the types of its inputs are inferred.
void TakeKnownBranches(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_BRANCHES_H_
