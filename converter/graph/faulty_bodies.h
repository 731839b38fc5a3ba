// SPDX-License-Identifier: Apache-2.0
// Layers with bodies that cannot be prepared because something before them was refused.
#ifndef WEFT_CONVERTER_GRAPH_FAULTY_BODIES_H_
#define WEFT_CONVERTER_GRAPH_FAULTY_BODIES_H_

#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// Loops and branches that the reader, a --shape or a --value has refused, and those that depend on
// what was refused. Passes that prepare and infer bodies need all of their inputs.
std::vector<ir::Node*> FaultyBodies(const ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_FAULTY_BODIES_H_
