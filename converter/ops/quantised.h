// SPDX-License-Identifier: Apache-2.0
// Operations on integers of i8 that stand for numbers, (x - zero) * scale: what the pass quantise
// makes of a graph with FakeQuantize. No opset document has them. Attributes say the levels: those
// of inputs as "x_zero" and "scale", those of the output as "zero", "low" and "high" of i8; without
// these the output is f32.
#ifndef WEFT_CONVERTER_OPS_QUANTISED_H_
#define WEFT_CONVERTER_OPS_QUANTISED_H_

#include "converter/ops/operation.h"

namespace weft::ops {

inline constexpr const char* kLevelZero = "zero";
inline constexpr const char* kLevelLow = "low";
inline constexpr const char* kLevelHigh = "high";
inline constexpr const char* kLevelScale = "scale";
inline constexpr const char* kInputZero = "x_zero";
inline constexpr const char* kInverse = "inverse";
// Of two inputs.
inline constexpr const char* kFirstScale = "a_scale";
inline constexpr const char* kFirstZero = "a_zero";
inline constexpr const char* kSecondScale = "b_scale";
inline constexpr const char* kSecondZero = "b_zero";

// The attribute as an integer of i8; 0 where there is none.
int8_t ByteOf(const NodeScope& scope, std::string_view key);
// Those of the output.
format::Levels LevelsOf(const NodeScope& scope);
// i8 where the node has levels, else f32.
ElementType LevelTypeOf(const NodeScope& scope);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_QUANTISED_H_
