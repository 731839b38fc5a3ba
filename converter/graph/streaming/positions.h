// SPDX-License-Identifier: Apache-2.0
// Positions along a dynamic time axis: values that were folded from Range, CumSum or NonZero over
// the assumed number of steps. Each becomes a function of its step number again, so that it
// continues beyond the assumed length.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Replaces constants with an open axis (OutputPort::open_axes) by the operations from which they
// were folded. These start at constants that number the steps (numbering.h), or at table rows
// selected by such numbers. Keeps constants that are equal at every step, that mask attention, or
// that are no function of the step number. The caller must refuse the last kind.
void ComputePositions(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_POSITIONS_H_
