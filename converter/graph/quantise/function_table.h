// SPDX-License-Identifier: Apache-2.0
// Functions of one int8 value as tables of all codes, with the integer arithmetic of tflite-micro.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_FUNCTION_TABLE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_FUNCTION_TABLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/graph/quantise/quant_params.h"

namespace weft::graph {

// Returns the result for each code of `from`, starting with -128; nullopt if the function or the
// parameters have no integer form.
std::optional<std::vector<int64_t>> IntegerTableOf(const ir::Node& function,
                                                   const QuantParams& from, const QuantParams& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_FUNCTION_TABLE_H_
