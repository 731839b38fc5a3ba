// SPDX-License-Identifier: Apache-2.0
// Replaces a pair of an input and an output by one state (--state h0=hn), before any other pass.
// Models exported for a single step leave this copy to the caller. The state starts as zeros; its
// two ports are removed.
#ifndef WEFT_CONVERTER_GRAPH_INPUT_STATES_H_
#define WEFT_CONVERTER_GRAPH_INPUT_STATES_H_

#include <string>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// An input, and the output that is its value in the next run. Each is given by name or index.
using InputStates = std::vector<std::pair<std::string, std::string>>;

using ir::kDeclaredState;

// Replaces each pair by a state. Adds a fault for a pair that is invalid, and then changes nothing.
void ApplyStates(ir::Graph& graph, const InputStates& states, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INPUT_STATES_H_
