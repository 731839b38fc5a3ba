// SPDX-License-Identifier: Apache-2.0
// The weight types of a converted model, as weft convert prints them.
#ifndef WEFT_CONVERTER_CLI_WEIGHTS_TEXT_H_
#define WEFT_CONVERTER_CLI_WEIGHTS_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "converter/program/narrow_weights.h"

namespace weft::cli {

// Returns the bytes of each type, such as "layer weights: 52480 bytes as i8x8 (rounded), 1024 as
// f32". Layer weights are those whose type --precision sets.
std::string WeightsText(const program::WeightsReport& weights);
nlohmann::ordered_json WeightsJson(const std::vector<program::WeightsOfType>& weights);

// Returns a table of the layers whose weights were rounded, then a line for each constant that
// stays f32. Returns "" if nothing was rounded and no type narrower than f32 was requested.
std::string LayerWeightsText(const std::vector<program::LayerWeights>& layers,
                             const program::Precisions& requested);
// One object for each layer. Signal to noise is null where nothing was rounded.
nlohmann::ordered_json LayerWeightsJson(const std::vector<program::LayerWeights>& layers);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_WEIGHTS_TEXT_H_
