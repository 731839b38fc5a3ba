// SPDX-License-Identifier: Apache-2.0
// Recognition of counts where they follow from shapes: a while-loop over x.shape[1] ends by a
// number that only inference knows, and inference wants to know the loop. So a copy of
// the model is inferred as far as it goes, shapes and constants known there are propagated into the
// inputs of loops, and their counts are looked for again, one loop after the other down the model.
#ifndef WEFT_CONVERTER_GRAPH_OPEN_LOOPS_H_
#define WEFT_CONVERTER_GRAPH_OPEN_LOOPS_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// RecogniseCounts on `graph`, as read and with the user's shapes, and again as long as it helps.
// What would fold into more bytes than the limit is left unknown; what is folded here goes again.
void RecogniseCountsByShapes(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_OPEN_LOOPS_H_
