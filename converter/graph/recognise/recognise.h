// SPDX-License-Identifier: Apache-2.0
// Finds LSTM, GRU and RNN cells that a model spells out in products, additions and activations, and
// puts the operation of that name in their place, with the same numbers in its own order. From then
// on they run as fused steps, and their input product can leave the loop. Sums may associate in
// another way than they were written. What is nearly a cell stays as it is.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_RECOGNISE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_RECOGNISE_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void Recognise(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_RECOGNISE_H_
