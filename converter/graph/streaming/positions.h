// SPDX-License-Identifier: Apache-2.0
// Positions along a dynamic time axis: values computed from Range or NonZero over T steps. Each
// becomes a function of its step number, so that it continues for any number of steps.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Makes values of T steps start at constants that number the steps (numbering.h), or at table rows
// selected by such numbers. Keeps values that mask attention, or that are no function of the step
// number. The caller must refuse the last kind.
void ComputePositions(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_
