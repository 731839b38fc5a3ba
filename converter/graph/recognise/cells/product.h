// SPDX-License-Identifier: Apache-2.0
// Splits the product of [a, b] with a constant matrix into the sum of two products, in a loop body
// where a is a slice and b is not. The product of the slices can then leave the loop as one matrix
// product. Nothing changes if no part or every part is a slice.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_PRODUCT_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_PRODUCT_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `body` is inferred; its port map describes the slices.
void SplitProducts(const ir::Body& body);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_CELLS_PRODUCT_H_
