// SPDX-License-Identifier: Apache-2.0
// Data of products that stay as they are here, of recurrent cells and of values on levels of i16:
// rounded to integers by themselves, which the steps of such a product take in the place of the
// numbers (program/integer_values.h).
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_DATA_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_DATA_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Nothing where the node multiplies by no integers, or what it multiplies lies on no levels.
void QuantiseData(QuantiseSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_DATA_H_
