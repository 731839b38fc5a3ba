// SPDX-License-Identifier: Apache-2.0
// Products of values on levels with constants that are integers times a scale for each output, with
// the addition, the bound and the quantiser behind them: one operation of integers each.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_PRODUCTS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_PRODUCTS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// False where `node` is no such product.
bool QuantiseProduct(QuantiseSite& site, ir::Node& node);

// The attribute is there and says yes.
bool IsFlagged(const ir::Node& node, const char* attribute);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_PRODUCTS_H_
