// SPDX-License-Identifier: Apache-2.0
// Means of quantised values before a quantiser: over windows, and over adjacent axes.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_MEANS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_MEANS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Converts a mean before the quantiser, or a sum by integers. Returns false if `node` is neither.
// `to` are the input parameters of the quantiser.
bool QuantiseMean(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                  const QuantParams& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_MEANS_H_
