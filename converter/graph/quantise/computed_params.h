// SPDX-License-Identifier: Apache-2.0
// Products of 8-bit integers whose zero point and scale are computed at run time: MatMulInteger and
// ConvInteger after DynamicQuantizeLinear. Frontends write them as i32 products that are converted
// to f32 and scaled.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_COMPUTED_PARAMS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_COMPUTED_PARAMS_H_

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Converts a MatMul or convolution of (integers - zero) and int8 constants to one int8 product,
// including an i32 bias per output, the conversion and the factor after it. Wider constants are
// supported if one offset per output brings them into int8 and f32 represents every sum; the offset
// is then multiplied by the sum of the data. Bit-identical: sums are exact, and float operations
// are rounded separately in both forms. Returns false if nothing was converted.
bool QuantiseComputedProduct(QuantiseSite& site, ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_COMPUTED_PARAMS_H_
