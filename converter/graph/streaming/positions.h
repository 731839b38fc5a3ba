// SPDX-License-Identifier: Apache-2.0
// Positions along a dynamic time axis: values that were folded from Range, CumSum or NonZero over
// as many steps as the converter assumes. Each becomes a function of the number of its step again,
// so that it continues beyond any assumed length.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Replaces constants with an open axis (OutputPort::open_axes) by the operations that they were
// folded from, down to constants that number the steps (numbering.h) and to rows of tables that
// these numbers select. Leaves those that are equal at every step, that mask attention, or that are
// no function of the number of the step; the last must be refused.
void ComputePositions(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_
