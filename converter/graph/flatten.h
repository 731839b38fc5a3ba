// SPDX-License-Identifier: Apache-2.0
// Lays loops flat: the body once per iteration, with the iteration number a constant in each, so
// that what it decides is decided now. Loops of 2 to 32 iterations, always the same number:
//   that index by a counter (Gather) or branch on one (If), when iterations times operations are at
//     most 64 and no operation is a loop, cell, product or convolution; those read their weights
//     once for all iterations in a section
//   that compute a shape or bounds from a counter (Slice, Reshape, ...), which could not be planned
//     otherwise, when iterations times operations are at most 4096
// Other loops stay sections, which cost neither copies nor bytes. Layers of iteration i are called
// "name[i]".
#ifndef WEFT_CONVERTER_GRAPH_FLATTEN_H_
#define WEFT_CONVERTER_GRAPH_FLATTEN_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` as read, behind RecogniseCounts: neither resolved nor inferred. Inner loops first.
void Flatten(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_FLATTEN_H_
