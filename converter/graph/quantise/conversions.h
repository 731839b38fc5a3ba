// SPDX-License-Identifier: Apache-2.0
// The conversions of quantised operations to integers, which Quantise tries in order.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_CONVERSIONS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_CONVERSIONS_H_

#include <cstddef>
#include <vector>

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Products of quantised values and constants that are integers times one scale per output. Together
// with the addition, the clamp and the quantiser after it each becomes one integer operation.
//
// Converts `node`. Returns false if it is no such product.
bool QuantiseProduct(QuantiseSite& site, ir::Node& node);

// Returns true if QuantiseProduct converts `node` once its data is quantised.
bool IsQuantisableProduct(const ir::Node& node);

// Returns true if the attribute is present and true.
bool IsFlagged(const ir::Node& node, const char* attribute);

// Products of 8-bit integers whose zero point and scale are computed at run time: MatMulInteger and
// ConvInteger after DynamicQuantizeLinear. Frontends write them as i32 products that are converted
// to f32 and scaled.
//
// Converts a MatMul or convolution of (integers - zero) and int8 constants to one int8 product,
// including an i32 bias per output, the conversion and the factor after it. Wider constants are
// supported if one offset per output brings them into int8 and f32 represents every sum; the offset
// is then multiplied by the sum of the data. Bit-identical: sums are exact, and float operations
// are rounded separately in both forms. Returns false if nothing was converted.
bool QuantiseComputedProduct(QuantiseSite& site, ir::Node& node);

// The axis of a Concat.
size_t JoinedAxisOf(const ir::Node& join);

// Converts the product of values with different parameters, concatenated along the summed channels,
// to a sum with one product per part. Returns false if `node` is no such product.
bool QuantiseJoinedProduct(QuantiseSite& site, ir::Node& node);

// Converts a comparison of two quantised values, of which one may be a constant, to one of integers
// with the rounding of tflite-micro. Returns false if the node is another operation, the arithmetic
// is by floats, or a scale has no such form.
bool QuantiseComparison(QuantiseSite& site, ir::Node& node);

// Quantises only the data of products that are not converted to integer operations here, of
// recurrent cells, and of int16 tensors. The steps of such products read the quantised values
// instead of floats (program/integer_values.h).
//
// Quantises the data of `node`. Does nothing if the node has no integer weights or its data is not
// quantised.
void QuantiseData(QuantiseSite& site, ir::Node& node);

// Operations other than products between quantised values and a quantiser: functions of one value,
// which become a table over all int8 codes, sums and products of two values, and means.
//
// Converts the operations before the quantiser. Returns false if there are none of these.
bool QuantiseBefore(QuantiseSite& site, ir::Node& quantiser);

// Means of quantised values before a quantiser: over windows, and over adjacent axes.
//
// Converts a mean before the quantiser, or a sum by integers. Returns false if `node` is neither.
// `to` are the input parameters of the quantiser.
bool QuantiseMean(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                  const QuantParams& to);

// Converts a sum, difference, product, quotient or slope of two quantised values, whose result
// `quantiser` rounds to the parameters `to`. One value may be a constant. Returns false if the node
// is another operation, or its parameters have no such form.
bool QuantisePair(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                  const QuantParams& to);

// Converts a linear Interpolate of two axes of codes, whose result `quantiser` rounds to the same
// parameters, to sums of integers with the positions and the rounding of tflite-micro. Returns
// false if the node is another operation or mode, or the arithmetic is by floats.
bool QuantiseResize(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                    const QuantParams& to);

// Keeps a variable as int8 codes if each value assigned to it, its initial value, and each read of
// it is quantised with the same parameters.
//
// Makes the reads of such variables codes. Returns their Assigns, for AssignCodes. To be called
// before other nodes are converted.
std::vector<ir::Node*> ReadCodes(QuantiseSite& site);
// Assigns codes. To be called after all other nodes are converted.
void AssignCodes(QuantiseSite& site, const std::vector<ir::Node*>& assigns);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_CONVERSIONS_H_
