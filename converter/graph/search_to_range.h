// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_GRAPH_SEARCH_TO_RANGE_H_
#define WEFT_CONVERTER_GRAPH_SEARCH_TO_RANGE_H_

#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// Replaces a NonZero that searches a computed vector of equal numbers other than 0 by the numbers
// from 0 on. Some exporters write Range like this. Types of the inputs must be known. Returns the
// new nodes in order, whose types must be inferred; none if nothing changed.
std::vector<ir::Node*> SearchToRange(ir::Graph& graph, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_SEARCH_TO_RANGE_H_
