// SPDX-License-Identifier: Apache-2.0
// The order of axes in memory. A document has the channels of a tensor before its axes of space;
// steps with windows are fastest where the channels of each place lie side by side. Where a stretch
// of a graph gains by that (stretches.h) its tensors are turned to channels last, [N, H, W, C],
// with all that reads and makes them, each operation as its row says (ops/turn.h). What crosses the
// border of a stretch is transposed there. Ports, variables and borders of loops keep the
// document's order. No bit of what is computed changes.
#ifndef WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_H_
#define WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void ChooseLayouts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_H_
