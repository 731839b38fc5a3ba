// SPDX-License-Identifier: Apache-2.0
// Attributes of FakeQuantize, Add and AvgPool that no opset has. The reader of .tflite files states
// what limits, floats and types do not hold.
#ifndef WEFT_CONVERTER_IR_STATED_H_
#define WEFT_CONVERTER_IR_STATED_H_

namespace weft::ir {

// Of a FakeQuantize: the distance of two codes before it, and the code of 0 in the file's type.
inline constexpr const char* kStatedScale = "scale";
inline constexpr const char* kStatedZero = "zero_point";
// Of an Add after a product: the integers of the bias, one per output, separated by commas. f32
// does not hold all i32 numbers.
inline constexpr const char* kStatedBias = "bias_codes";
// Of an AvgPool of codes: "away" rounds a mean that is between two codes away from zero.
inline constexpr const char* kTies = "ties";

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_STATED_H_
