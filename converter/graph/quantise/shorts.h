// SPDX-License-Identifier: Apache-2.0
// Integer operations on one quantised value of which a side is int16, or int32 codes: a table would
// be too long.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_SHORTS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_SHORTS_H_

#include <optional>

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// The codes in `to` of the codes of `from`, as tflite-micro's QUANTIZE computes them. Returns the
// codes themselves if they are in the range of `to`, and nullopt if the factor is too large.
std::optional<ir::Source> Rescaled(ir::Graph& graph, const ir::Node& like, ir::Source codes,
                                   const QuantParams& from, const QuantParams& to);
// Codes of `to`, limited to its range.
ir::Source Limited(ir::Graph& graph, const ir::Node& like, ir::Source codes, const QuantParams& to);

// Converts the function `node` of one int16 value, followed by a quantiser. Returns false if it has
// no integer form.
bool QuantiseShortFunction(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                           const QuantParams& to);

// Converts a softmax along the last axis of an int16 value, whose results are in units of 2^-15.
bool QuantiseShortSoftmax(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                          const QuantParams& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_SHORTS_H_
