// SPDX-License-Identifier: Apache-2.0
// Removes everything from a loop that no output depends on: Results, Parameters, back edges that
// only keep each other alive, unused inputs, and the nodes between them.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_PRUNE_LOOP_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_PRUNE_LOOP_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `loop` has one body. All its outputs remain, and inputs 0 and 1 of a Loop.
void PruneLoop(ir::Node& loop);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_PRUNE_LOOP_H_
