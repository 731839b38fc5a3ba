// SPDX-License-Identifier: Apache-2.0
// Lowers Gathers by constant indices, which exporters write for windows.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_GATHERS_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_GATHERS_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// Converts Gathers of all elements of an axis in order to reshapes, also in bodies.
void WholeGathersToReshapes(ir::Graph& graph);

// Converts Gathers that repeat each element of an axis, or select overlapping frames, as exporters
// write repeat_interleave and unfold. Each becomes a Tile, or a concatenation of shifted copies of
// the axis.
void LowerConstantGathers(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_GATHERS_H_
