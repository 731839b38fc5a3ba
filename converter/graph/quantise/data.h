// SPDX-License-Identifier: Apache-2.0
// Quantises only the data of products that are not converted to integer operations here, of
// recurrent cells, and of int16 tensors. The steps of such products read the quantised values
// instead of floats (program/integer_values.h).
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_DATA_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_DATA_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Quantises the data of `node`. Does nothing if the node has no integer weights or its data is not
// quantised.
void QuantiseData(QuantiseSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_DATA_H_
