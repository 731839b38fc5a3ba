// SPDX-License-Identifier: Apache-2.0
// Recognises TensorFlow's decomposed dilated convolution. SpaceToBatch moves each element of a
// block to a separate batch item, a convolution processes these, and BatchToSpace moves the
// elements back. It becomes one convolution with that dilation. It copies nothing, and its time
// axis can be streamed.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_DILATION_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_DILATION_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void MergeDilations(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_DILATION_H_
