// SPDX-License-Identifier: Apache-2.0
// Products of concatenated values that have different quantisation parameters.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_JOINED_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_JOINED_H_

#include <cstddef>

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// The axis of a Concat.
size_t JoinedAxisOf(const ir::Node& join);

// Converts the product of values concatenated along the summed channels to a sum with one product
// per part. Returns false if `node` is no such product.
bool QuantiseJoinedProduct(QuantiseSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_JOINED_H_
