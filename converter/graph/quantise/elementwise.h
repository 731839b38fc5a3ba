// SPDX-License-Identifier: Apache-2.0
// Operations other than products between quantised values and a quantiser: functions of one value,
// which become a table over all int8 codes, sums and products of two values, and means (means.h).
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_ELEMENTWISE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_ELEMENTWISE_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Converts the operations before the quantiser. Returns false if there are none of these.
bool QuantiseBefore(QuantiseSite& site, ir::Node& quantiser);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_ELEMENTWISE_H_
