// SPDX-License-Identifier: Apache-2.0
// Joins of values that lie on levels of their own.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_JOINED_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_JOINED_H_

#include <cstddef>

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// The axis along which a Concat joins.
size_t JoinedAxisOf(const ir::Node& join);

// The product of a join along the channels that are summed over becomes the sum of a product for
// each part; false where `node` is no such product.
bool QuantiseJoinedProduct(QuantiseSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_JOINED_H_
