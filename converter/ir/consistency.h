// SPDX-License-Identifier: Apache-2.0
// The invariants of a graph between two passes, for the assertions of the pipeline. A graph with
// reader faults may violate them.
#ifndef WEFT_CONVERTER_IR_CONSISTENCY_H_
#define WEFT_CONVERTER_IR_CONSISTENCY_H_

#include <string>

#include "converter/ir/graph.h"

namespace weft::ir {

// Returns a message for the first violated invariant, or an empty text. Edges must lead to outputs
// of nodes of the same graph; the lists of Parameters, Results and Assigns must contain nodes of
// the graph; a port map must connect inputs and outputs of the layer with Parameters and Results of
// its body. Bodies are checked as well.
std::string InconsistencyIn(const Graph& graph);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_CONSISTENCY_H_
