// SPDX-License-Identifier: Apache-2.0
// Finds layers with bodies that cannot be prepared because an earlier error affects their inputs.
#ifndef WEFT_CONVERTER_GRAPH_FAULTY_BODIES_H_
#define WEFT_CONVERTER_GRAPH_FAULTY_BODIES_H_

#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// Returns the loops and branches with an error of the reader, --shape or --value, and those that
// depend on such an error. Passes that prepare and infer bodies need all of their inputs.
std::vector<ir::Node*> FaultyBodies(const ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_FAULTY_BODIES_H_
