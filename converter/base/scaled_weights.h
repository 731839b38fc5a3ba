// SPDX-License-Identifier: Apache-2.0
// Weights of a product as int8 codes with a scale for each output, which kernels widen to floats
// (kernels::Scaled8): float(code) * scale, rounded once.
#ifndef WEFT_CONVERTER_BASE_SCALED_WEIGHTS_H_
#define WEFT_CONVERTER_BASE_SCALED_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "converter/base/quantisation.h"
#include "runtime/format/weft_generated.h"

namespace weft {

// Packed weights of `width` outputs: weight first + k * width + i has scale first_scale + i, for
// k < depth and i < width.
struct ScaledBlock {
  size_t first = 0, depth = 0, width = 0, first_scale = 0;
  bool operator==(const ScaledBlock&) const = default;
};
// Consecutive packed weights. In memory, the f32 scales come first, then a code for each weight.
struct ScaledPart {
  size_t scales = 0, weights = 0;
  std::vector<ScaledBlock> blocks;  // all weights
  bool operator==(const ScaledPart&) const = default;
};
// Returns the parts of a step's weights, in the order of memory. The parameters must describe
// weights that exist.
std::vector<ScaledPart> ScaledPartsOf(const format::DenseParams& params);
std::vector<ScaledPart> ScaledPartsOf(const format::ConvParams& params);
std::vector<ScaledPart> ScaledPartsOf(const format::LstmCellParams& params);
std::vector<ScaledPart> ScaledPartsOf(const format::GruCellParams& params);
std::vector<ScaledPart> ScaledPartsOf(const format::GruResetCellParams& params);

// Returns integers of which the weights are exact multiples, bit for bit, without an offset;
// nullopt if there are none, or if the scale is not a normal float. Usually the first weights show
// that there are none.
std::optional<IntegerGrid> ExactGridOf(std::span<const float> weights);

// Returns packed weights in memory, with the row of each output by `row_of`; nullopt if it returns
// nullopt for any of them.
std::optional<std::vector<std::byte>> ScaledMemory(
    std::span<const float> weights, const std::vector<ScaledPart>& parts,
    const std::function<std::optional<IntegerGrid>(std::span<const float>)>& row_of);
// Returns the packed weights; empty if there is not enough memory for all parts.
std::vector<float> WidenScaled(std::span<const std::byte> memory,
                               const std::vector<ScaledPart>& parts);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_SCALED_WEIGHTS_H_
