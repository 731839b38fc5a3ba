// SPDX-License-Identifier: Apache-2.0
// Takes out of a loop what no output needs: Results, Parameters, the back edges that keep only each
// other alive, unused inputs, and the nodes between them.
#ifndef WEFT_CONVERTER_GRAPH_PRUNE_LOOP_H_
#define WEFT_CONVERTER_GRAPH_PRUNE_LOOP_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `loop` has one body. Its outputs stay, and a Loop's inputs 0 and 1.
void PruneLoop(ir::Node& loop);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_PRUNE_LOOP_H_
