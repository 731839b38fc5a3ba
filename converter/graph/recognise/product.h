// SPDX-License-Identifier: Apache-2.0
// [a, b] times a constant matrix in the body of a loop, where a is a slice of the loop's input and
// b is not: becomes the sum of two products, so that the one of the slices can leave the loop as
// one matrix product. Where no part or every part is a slice, nothing is gained and nothing
// changed.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_PRODUCT_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_PRODUCT_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `body` is inferred; its port map says what is sliced.
void SplitProducts(const ir::Body& body);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_PRODUCT_H_
