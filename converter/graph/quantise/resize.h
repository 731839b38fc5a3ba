// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_RESIZE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_RESIZE_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Converts a linear Interpolate of two axes of codes, whose result `quantiser` rounds to the same
// parameters, to sums of integers with the positions and the rounding of tflite-micro. Returns
// false if the node is another operation or mode, or the arithmetic is by floats.
bool QuantiseResize(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                    const QuantParams& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_RESIZE_H_
