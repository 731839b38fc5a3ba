// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_PAIRS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_PAIRS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Converts a sum, difference, product, quotient or slope of two quantised values, whose result
// `quantiser` rounds to the parameters `to`. One value may be a constant. Returns false if the node
// is another operation, or its parameters have no such form.
bool QuantisePair(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                  const QuantParams& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_PAIRS_H_
