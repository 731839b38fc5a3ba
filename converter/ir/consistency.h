// SPDX-License-Identifier: Apache-2.0
// What every graph keeps to between two passes, for the assertions of the pipeline. A graph that
// the reader has refused need not.
#ifndef WEFT_CONVERTER_IR_CONSISTENCY_H_
#define WEFT_CONVERTER_IR_CONSISTENCY_H_

#include <string>

#include "converter/ir/graph.h"

namespace weft::ir {

// The first thing that is wrong, empty when nothing is. Edges lead to outputs of nodes of the same
// graph; the lists of Parameters, Results and Assigns hold nodes of the graph; a port map joins
// inputs and outputs of the layer to Parameters and Results of its body. Bodies included.
std::string InconsistencyIn(const Graph& graph);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_CONSISTENCY_H_
