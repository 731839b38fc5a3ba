// SPDX-License-Identifier: Apache-2.0
// Attributes that no opset has. The reader of .tflite files sets them, because the attributes and
// constants of the IR would lose the exact numbers of the file.
#ifndef WEFT_CONVERTER_IR_STATED_H_
#define WEFT_CONVERTER_IR_STATED_H_

#include <cstdlib>
#include <optional>

#include "converter/base/stated_codes.h"
#include "converter/ir/graph.h"

namespace weft::ir {

// FakeQuantize, the Multiply or Dequantize after an input of codes, and the numbers of constant
// int16 codes: the scale of the file, and the zero point in the type of the file. So have a
// Parameter and a Result with codes.
inline constexpr const char* kStatedScale = "scale";
inline constexpr const char* kStatedZero = "zero_point";
// FakeQuantize: present if its codes of i16 are computed by integers, as those of i8 are.
inline constexpr const char* kStatedShorts = "shorts";
// FakeQuantize: the operator of the file that computes its data from quantised tensors,
// "operator 12 CONV_2D "name"".
inline constexpr const char* kStatedOperator = "operator";
// Add after a product: the integers of the bias, one per output, separated by commas. f32 cannot
// represent all of them.
inline constexpr const char* kStatedBias = "bias_codes";
// Products of int16 codes: present if the file adds them in 32 bits, not in 64.
inline constexpr const char* kStatedShortSums = "short_sums";
// AvgPool of codes: "away" rounds means halfway between two codes away from zero. FakeQuantize: the
// numbers were floats in the file; they are divided by the scale, and halves rounded away from
// zero.
inline constexpr const char* kTies = "ties";
// ScatterNDUpdate: present if the updates are written as a block, which must fit in the data.
inline constexpr const char* kStatedBlock = "block";

// Returns nullopt if the node states no scale.
inline std::optional<StatedCodes> CodesStatedBy(const Node& node) {
  const auto scale = node.attributes.find(kStatedScale), zero = node.attributes.find(kStatedZero);
  if (scale == node.attributes.end() || zero == node.attributes.end()) return std::nullopt;
  return StatedCodes{std::strtof(scale->second.c_str(), nullptr),
                     std::strtoll(zero->second.c_str(), nullptr, 10)};
}

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_STATED_H_
