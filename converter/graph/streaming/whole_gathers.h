// SPDX-License-Identifier: Apache-2.0
// Converts Gathers of all elements of an axis in order, as exporters write windows of one element,
// to reshapes.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_WHOLE_GATHERS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_WHOLE_GATHERS_H_

#include "converter/ir/graph.h"

namespace weft::graph {

void WholeGathersToReshapes(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_WHOLE_GATHERS_H_
