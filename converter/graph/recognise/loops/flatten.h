// SPDX-License-Identifier: Apache-2.0
// Unrolls loops: repeats the body once per iteration and replaces the iteration number by a
// constant, so that expressions of it fold. Unrolls loops of 2 to 32 iterations with a constant
// trip count if
//   the body indexes by a counter (Gather) or branches on one (If), iterations times operations
//     are at most 64, and no operation is a loop, cell, product or convolution: a section reads
//     their weights once for all iterations
//   the body computes a shape or bounds from a counter (Slice, Reshape, ...), which could not be
//     planned otherwise, and iterations times operations are at most 4096
// Other loops remain sections and need no copies of the body. Layers of iteration i are named
// "name[i]".
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_FLATTEN_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_FLATTEN_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` is as read, after RecogniseCounts, neither resolved nor inferred. Inner loops are
// unrolled first.
void Flatten(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_FLATTEN_H_
