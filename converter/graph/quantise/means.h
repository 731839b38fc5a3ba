// SPDX-License-Identifier: Apache-2.0
// Means of values on levels before a quantiser: of windows, and along axes that lie side by side.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_MEANS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_MEANS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// False where `node`, in front of the quantiser, is no such mean; `to` are the levels that it
// finds.
bool QuantiseMean(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node, const Levels& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_MEANS_H_
