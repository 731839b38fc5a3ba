// SPDX-License-Identifier: Apache-2.0
// Lowers Gathers by constant indices that repeat each element of an axis, or select overlapping
// frames, as exporters write repeat_interleave and unfold. Each becomes a Tile, or a concatenation
// of shifted copies of the axis.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_FRAMES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_FRAMES_H_

#include "converter/ir/graph.h"

namespace weft::graph {

void LowerConstantGathers(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_FRAMES_H_
