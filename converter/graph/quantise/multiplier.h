// SPDX-License-Identifier: Apache-2.0
// Factors of requantisation by integers (kernels/simd/requantise.h).
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_MULTIPLIER_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_MULTIPLIER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/graph/quantise/quant_params.h"
#include "kernels/simd/requantise.h"

namespace weft::graph {

// The multiplier that is closest to a positive factor; zeros if the factor is 0 or too small.
// Returns nullopt if the factor is too large.
std::optional<kernels::Multiplier> MultiplierOf(double factor);

// The multipliers of the positive and the negative codes of a PRelu with one slope.
struct SlopeMultipliers {
  kernels::Multiplier above, below;
};
std::optional<SlopeMultipliers> SlopeMultipliersOf(const ir::Node& node, const QuantParams& from,
                                                   const QuantParams& to);

// The code that an integer in units of the scale of `to` has.
int CodeOfInteger(int32_t v, const QuantParams& to);

// For each code of `from`, -128 first, the code of `to` that tflite-micro's QUANTIZE computes.
std::optional<std::vector<int64_t>> RequantisedTable(const QuantParams& from,
                                                     const QuantParams& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_MULTIPLIER_H_
