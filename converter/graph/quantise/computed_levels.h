// SPDX-License-Identifier: Apache-2.0
// Products of integers of 8 bits whose zero and scale are computed while the model runs, as
// frontends spell MatMulInteger and ConvInteger behind DynamicQuantizeLinear: of i32, converted to
// f32 and scaled.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_COMPUTED_LEVELS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_COMPUTED_LEVELS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Makes a MatMul or convolution of (integers - zero) and constants within i8 one product of bytes,
// with the conversion and the factor behind it. Constants that an offset for each output brings
// within i8 are bytes, too, where f32 holds every sum; it multiplies the sum of the data then. The
// same bits: sums are exact, and each operation on floats is rounded by itself in both.
bool QuantiseComputedProduct(QuantiseSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_COMPUTED_LEVELS_H_
