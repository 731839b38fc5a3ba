// SPDX-License-Identifier: Apache-2.0
// Finds LSTM, GRU and RNN cells that are decomposed into products, additions and activations.
// Replaces them by the cell operation with the same numbers, in its own order. They then run as
// fused steps, and their input product can leave the loop. Sums may be associated differently than
// written. Operations that do not match a cell exactly stay unchanged.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_CELLS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_CELLS_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void RecogniseCells(ir::Graph& graph);

// Splits the product of [a, b] with a constant matrix into the sum of two products, in a loop body
// where a is a slice and b is not. The product of the slices can then leave the loop as one matrix
// product. Nothing changes if no part or every part is a slice.
//
// `body` is inferred; its port map describes the slices.
void SplitProducts(const ir::Body& body);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_CELLS_H_
