// SPDX-License-Identifier: Apache-2.0
// Zeros that a Pad puts around what a convolution reads by way of exchanged axes, as Keras and
// TensorFlow leave a causal convolution, whose data has its channels last: they become the
// convolution's own padding, which costs nothing, and whose time can be cut.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_BORDER_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_BORDER_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void RecogniseBorders(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_BORDER_H_
