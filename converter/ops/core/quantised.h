// SPDX-License-Identifier: Apache-2.0
// Integer operations that the pass quantise creates from FakeQuantize graphs; no OpenVINO opset has
// them. An int8 or int16 code represents the number (code - zero) * scale. Attributes hold the
// parameters: "x_zero" and "scale" of inputs; "zero", "low" and "high" of the output. Without
// output attributes the output is f32.
#ifndef WEFT_CONVERTER_OPS_CORE_QUANTISED_H_
#define WEFT_CONVERTER_OPS_CORE_QUANTISED_H_

#include "converter/ops/operation.h"

namespace weft::ops {

inline constexpr const char* kCodeZero = "zero";
inline constexpr const char* kCodeLow = "low";
inline constexpr const char* kCodeHigh = "high";
inline constexpr const char* kCodeScale = "scale";
// Present if the codes are i16; their zero point is 0.
inline constexpr const char* kShortCodes = "shorts";
// Products of i16 codes: their sums have 32 bits and wrap around.
inline constexpr const char* kSums32 = "sums32";
inline constexpr const char* kInputZero = "x_zero";
inline constexpr const char* kInverse = "inverse";
// For operations with two inputs.
inline constexpr const char* kFirstScale = "a_scale";
inline constexpr const char* kFirstZero = "a_zero";
inline constexpr const char* kSecondScale = "b_scale";
inline constexpr const char* kSecondZero = "b_zero";
// Present if codes are computed by integers. Multipliers are "mantissa,exponent".
inline constexpr const char* kByIntegers = "by_integers";
inline constexpr const char* kFirstMultiplier = "a_multiplier";
inline constexpr const char* kSecondMultiplier = "b_multiplier";
inline constexpr const char* kMultiplier = "multiplier";
// Of QuantizedUnary: a function of kernels/elementwise/unary_q8.h, and the type of its output if it
// has no range.
inline constexpr const char* kCodeFunction = "function";

// The attribute as int8; 0 if it is absent.
int8_t ByteOf(const NodeScope& scope, std::string_view key);
// Returns true if the codes of the output are i16.
bool HasShorts(const NodeScope& scope);
// The zero point and the range of the output.
format::CodeRange CodesOf(const NodeScope& scope);
// The multiplier in an attribute; zeros if it is absent.
format::Multiplier MultiplierIn(const NodeScope& scope, std::string_view key);
// i8 or i16 if the node has output attributes, else f32.
ElementType CodeTypeOf(const NodeScope& scope);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_QUANTISED_H_
