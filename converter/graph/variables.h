// SPDX-License-Identifier: Apache-2.0
// Checks that all reads and assignments of a variable are in one graph, the model's or a body's,
// because the order between two graphs is undefined. The branches of an If count as one graph,
// because only one of them runs.
#ifndef WEFT_CONVERTER_GRAPH_VARIABLES_H_
#define WEFT_CONVERTER_GRAPH_VARIABLES_H_

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Checks `graph` and its bodies, as read. Returns false if a fault was added.
bool CheckVariables(const ir::Graph& graph, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_VARIABLES_H_
