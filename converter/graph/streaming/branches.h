// SPDX-License-Identifier: Apache-2.0
// Branches whose condition is known: what runs of them stands in the graph itself, where time is
// looked for as in all else.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_BRANCHES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_BRANCHES_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` is inferred, and so is what comes into it.
void TakeKnownBranches(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_BRANCHES_H_
