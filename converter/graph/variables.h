// SPDX-License-Identifier: Apache-2.0
// Whose variables are whose: the reads and assignments of one variable must stand in one graph, the
// model's or a body's, since nothing orders those of two. The branches of an If count as one: only
// one of them runs.
#ifndef WEFT_CONVERTER_GRAPH_VARIABLES_H_
#define WEFT_CONVERTER_GRAPH_VARIABLES_H_

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` with its bodies, as read. False when a fault was added.
bool CheckVariables(const ir::Graph& graph, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_VARIABLES_H_
