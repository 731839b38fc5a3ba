// SPDX-License-Identifier: Apache-2.0
// A dilated convolution as TensorFlow spells it: SpaceToBatch makes every place of a block a batch
// of its own, a convolution runs over each, and BatchToSpace puts the places back. It becomes one
// convolution with that dilation, which moves nothing and whose time can be cut.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_DILATION_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_DILATION_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void RecogniseDilations(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_DILATION_H_
