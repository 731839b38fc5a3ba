// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_COMPARISONS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_COMPARISONS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Converts a comparison of two quantised values, of which one may be a constant, to one of integers
// with the rounding of tflite-micro. Returns false if the node is another operation, the arithmetic
// is by floats, or a scale has no such form.
bool QuantiseComparison(QuantiseSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_COMPARISONS_H_
