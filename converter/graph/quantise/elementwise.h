// SPDX-License-Identifier: Apache-2.0
// What stands between values on levels and a quantiser, but for products: functions of one value,
// which become a table of all integers, sums and products of two, and means (means.h).
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_ELEMENTWISE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_ELEMENTWISE_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// False where in front of the quantiser there is none of these.
bool QuantiseBefore(QuantiseSite& site, ir::Node& quantiser);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_ELEMENTWISE_H_
