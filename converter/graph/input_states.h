// SPDX-License-Identifier: Apache-2.0
// Pairs of an input and an output that the call makes one state (--state h0=hn), before any pass
// works with them: what exporters of single steps leave to the caller to copy back. The state
// begins as zeros and is no port any more.
#ifndef WEFT_CONVERTER_GRAPH_INPUT_STATES_H_
#define WEFT_CONVERTER_GRAPH_INPUT_STATES_H_

#include <string>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// An input and the output that is its value in the next run, each by any of its names or its index.
using InputStates = std::vector<std::pair<std::string, std::string>>;

// An attribute of the ReadValue of such a state: the name of the output.
inline constexpr const char* kDeclaredState = "declared_state";

void ApplyStates(ir::Graph& graph, const InputStates& states, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INPUT_STATES_H_
