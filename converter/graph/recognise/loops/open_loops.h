// SPDX-License-Identifier: Apache-2.0
// Recognises trip counts that follow from shapes. The trip count of a while-loop over x.shape[1] is
// known only after inference, and inference needs the loop. So this pass infers a copy of the model
// as far as possible and propagates the known shapes and constants into the inputs of loops. Then
// it searches their trip counts again, one loop after another in topological order.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_OPEN_LOOPS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_OPEN_LOOPS_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Repeats RecogniseCounts on `graph` as long as it finds more. `graph` is as read, with the user's
// shapes. Values whose folding would exceed the limit stay unknown. Folded values are not kept.
void RecogniseCountsByShapes(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_OPEN_LOOPS_H_
