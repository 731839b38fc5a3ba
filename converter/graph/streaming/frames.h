// SPDX-License-Identifier: Apache-2.0
// Gathers by constant indices that repeat each place of an axis, or take overlapping frames of it,
// as exporters write repeat_interleave and unfold. Each becomes what it stands for: a Tile, or the
// axis joined with itself some places later.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_FRAMES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_FRAMES_H_

#include "converter/ir/graph.h"

namespace weft::graph {

void SpellGathers(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_FRAMES_H_
