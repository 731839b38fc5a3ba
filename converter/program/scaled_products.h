// SPDX-License-Identifier: Apache-2.0
// Int8 codes with a scale for each output as the weights of dense, conv and the cells. The step
// stays the same; its kernel widens each code to the float that it replaces.
#ifndef WEFT_CONVERTER_PROGRAM_SCALED_PRODUCTS_H_
#define WEFT_CONVERTER_PROGRAM_SCALED_PRODUCTS_H_

#include <optional>

#include "converter/program/weight_encodings.h"

namespace weft::program {

// Without a request, weights must need as many bytes as f32: more than the L2 cache of most desktop
// cores. Smaller f32 weights are faster, because a code costs three instructions more than a float.
inline constexpr int64_t kMinScaledBytes = 1 << 20;

// The functions of the row i8x32 (weight_encodings.h).
bool SuitsScales(const WeightUse& use);
std::optional<EncodedWeights> KeepScaled(const CodedFloats& weights, const WeightUse& use);
EncodedWeights RoundToScaled(const CodedFloats& weights, const WeightUse& use,
                             const WeightType& type);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_SCALED_PRODUCTS_H_
