// SPDX-License-Identifier: Apache-2.0
// Moves the zero padding of a Pad into the convolution that reads it through permuted axes. Keras
// and TensorFlow export causal convolutions with channels-last data in this way. The convolution's
// own padding costs nothing, and its time axis can be streamed.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_BORDER_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_BORDER_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void RecogniseBorders(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_BORDER_H_
