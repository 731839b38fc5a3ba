// SPDX-License-Identifier: Apache-2.0
// Quantised tensors as f32 numbers of the graph. A code represents (code - zero) * scale.
#ifndef WEFT_CONVERTER_TFLITE_QUANTISED_H_
#define WEFT_CONVERTER_TFLITE_QUANTISED_H_

#include "converter/tflite/builder.h"

namespace weft::tflite {

// Returns true if values of the tensor are codes: i8, u8 or i16 with a scale.
bool IsQuantised(const Tensor& tensor);
// Returns true if the graph has a constant of the tensor as numbers: codes of up to 16 bits with a
// scale. The graph has wider codes as integers, as both runtimes do.
bool HasNumbersOfCodes(const Tensor& tensor);
// The attributes "scale" and "zero_point" (ir/stated.h) of codes.
Attributes Stated(const TensorQuantization& quantization);
// The lowest and highest code of a type.
struct CodeLimits {
  int64_t min = 0, max = 0;
};
CodeLimits LimitsOf(schema::ElementType type);
// Returns true if each code represents the same number in both tensors.
bool HaveSameCodes(const Tensor& a, const Tensor& b);

// The numbers of a constant tensor of codes of any width.
ir::Source Dequantised(Builder& builder, const Tensor& tensor);
// The numbers of an input with a scale, also of a type whose codes Input() gives as integers.
ir::Source NumbersOfInput(Builder& builder, size_t input);
// The numbers of an input port that holds codes.
ir::Source NumbersOfPort(Builder& builder, const Tensor& tensor, ir::Source codes);
// A constant of the codes of 0, or of zeros if the tensor is not quantised.
ir::Source FirstCodes(Builder& builder, const Tensor& tensor, const Dims& dims);
// The codes of quantised numbers, for an output port.
ir::Source CodesOfPort(Builder& builder, const Tensor& tensor, ir::Source numbers);
// The int8 or int16 codes of quantised numbers, for steps; the zero point of int16 codes is 0.
ir::Source StepCodes(Builder& builder, const Tensor& tensor, ir::Source numbers);
// Rounds numbers to those that the tensor's codes represent, with a FakeQuantize. Its attributes
// "scale" and "zero_point" are those of the file.
ir::Source Quantised(Builder& builder, const Tensor& tensor, ir::Source numbers);
// The same for floats of the file: by a division, halves away from zero.
ir::Source QuantisedFloats(Builder& builder, const Tensor& tensor, ir::Source numbers);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_QUANTISED_H_
