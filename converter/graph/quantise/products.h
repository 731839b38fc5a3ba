// SPDX-License-Identifier: Apache-2.0
// Products of quantised values and constants that are integers times one scale per output. Together
// with the addition, the clamp and the quantiser after it each becomes one integer operation.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_PRODUCTS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_PRODUCTS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Converts `node`. Returns false if it is no such product.
bool QuantiseProduct(QuantiseSite& site, ir::Node& node);

// Returns true if QuantiseProduct converts `node` once its data is quantised.
bool IsQuantisableProduct(const ir::Node& node);

// Returns true if the attribute is present and true.
bool IsFlagged(const ir::Node& node, const char* attribute);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_PRODUCTS_H_
