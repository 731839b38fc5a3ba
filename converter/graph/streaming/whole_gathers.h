// SPDX-License-Identifier: Apache-2.0
// Gathers of all places of an axis in their order, as exporters write windows of one place, which
// are no more than another shape.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_WHOLE_GATHERS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_WHOLE_GATHERS_H_

#include "converter/ir/graph.h"

namespace weft::graph {

void WholeGathersToReshapes(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_WHOLE_GATHERS_H_
