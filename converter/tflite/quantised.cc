// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/quantised.h"

#include <fmt/format.h>

#include <algorithm>

#include "converter/base/elements.h"
#include "converter/ir/stated.h"

namespace weft::tflite {
namespace {

float NumberOf(int64_t code, const TensorQuantization& quantization) {
  return static_cast<float>(static_cast<double>(code - quantization.zeros[0]) *
                            static_cast<double>(quantization.scales[0]));
}

bool ReadsCodes(const Builder& builder) {
  for (size_t i = 0; i < builder.input_count(); ++i) {
    if (builder.Has(i) && IsQuantised(builder.InputTensor(i))) return true;
  }
  return false;
}

// Returns true if the codes are i16 that steps compute by integers; their zero point is 0.
bool HasShortSteps(const Builder& builder, const Tensor& tensor) {
  return tensor.type == schema::ElementType::i16 && tensor.quantization->zeros[0] == 0 &&
         !builder.rounds_as_litert();
}

// A FakeQuantize from the numbers of the tensor's codes to [low, high].
ir::Source Rounded(Builder& builder, const Tensor& tensor, ir::Source numbers, float low,
                   float high, bool keeps_scale) {
  const TensorQuantization& quantization = *tensor.quantization;
  const CodeLimits codes = LimitsOf(tensor.type);
  Attributes attributes = {{"levels", std::to_string(codes.max - codes.min + 1)},
                           {"auto_broadcast", "numpy"}};
  if (keeps_scale) {
    attributes.merge(Stated(quantization));
    if (HasShortSteps(builder, tensor)) attributes[ir::kStatedShorts] = "1";
    if (ReadsCodes(builder)) attributes[ir::kStatedOperator] = builder.Place();
  }
  return builder.Add(
      "FakeQuantize", "opset1", attributes,
      {numbers, builder.Float(NumberOf(codes.min, quantization)),
       builder.Float(NumberOf(codes.max, quantization)), builder.Float(low), builder.Float(high)});
}

// One number per scale, with dims that broadcast to the tensor.
ir::Source PerScale(Builder& builder, const Tensor& tensor, const std::vector<float>& numbers) {
  if (numbers.size() == 1) return builder.Float(numbers[0]);
  Dims dims(tensor.dims.size(), 1);
  dims[tensor.quantization->axis] = std::ssize(numbers);
  return builder.Floats(dims, numbers);
}

// (codes - zero) * scale
ir::Source Scaled(Builder& builder, const Tensor& tensor, ir::Source codes,
                  const Attributes& attributes = {}) {
  const TensorQuantization& quantization = *tensor.quantization;
  ir::Source value = builder.Converted(codes, ElementType::f32);
  const std::vector<float> zeros(quantization.zeros.begin(), quantization.zeros.end());
  if (std::ranges::any_of(zeros, [](float zero) { return zero != 0; })) {
    value = builder.Add("Subtract", {value, PerScale(builder, tensor, zeros)});
  }
  return builder.Add("Multiply", "opset1", attributes,
                     {value, PerScale(builder, tensor, quantization.scales)});
}

bool IsNarrow(schema::ElementType type) {
  return BitsOf(IrTypeOf(type).value_or(ElementType::f32)) <= 16;
}

}  // namespace

Attributes Stated(const TensorQuantization& quantization) {
  return {{ir::kStatedScale, fmt::format("{}", quantization.scales[0])},
          {ir::kStatedZero, std::to_string(quantization.zeros[0])}};
}

CodeLimits LimitsOf(schema::ElementType type) {
  if (type == schema::ElementType::u8) return {0, 255};
  if (type == schema::ElementType::i16) return {-32768, 32767};
  return {-128, 127};
}

bool IsQuantised(const Tensor& tensor) {
  using Type = schema::ElementType;
  return tensor.quantization &&
         (tensor.type == Type::i8 || tensor.type == Type::u8 || tensor.type == Type::i16);
}

bool HasNumbersOfCodes(const Tensor& tensor) {
  return tensor.quantization && IsNarrow(tensor.type);
}

bool HaveSameCodes(const Tensor& a, const Tensor& b) {
  return IsQuantised(a) && IsQuantised(b) && a.type == b.type && a.quantization == b.quantization;
}

ir::Source Dequantised(Builder& builder, const Tensor& tensor) {
  const ir::Constant& constant = *tensor.constant;
  const bool is_short = HasShortSteps(builder, tensor) && tensor.quantization->is_per_tensor();
  if (IsNarrow(tensor.type) && !is_short) return Scaled(builder, tensor, builder.Const(constant));
  // Wider codes, such as those of a bias, are rounded only once.
  const TensorQuantization& quantization = *tensor.quantization;
  int64_t inner = 1;
  for (size_t axis = quantization.axis + 1; axis < tensor.dims.size(); ++axis) {
    inner *= tensor.dims[axis];
  }
  const size_t count = static_cast<size_t>(ElementCount(tensor.dims).value_or(0));
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t which = i / static_cast<size_t>(inner) % quantization.scales.size();
    const int64_t code = IntegerAt(constant.type.type, constant.bytes, i);
    numbers[i] = static_cast<float>(static_cast<double>(code - quantization.zeros[which]) *
                                    static_cast<double>(quantization.scales[which]));
  }
  const ir::Source made = builder.Floats(tensor.dims, numbers);
  if (is_short) made.node->attributes = Stated(quantization);
  return made;
}

ir::Source NumbersOfInput(Builder& builder, size_t input) {
  const Tensor& tensor = builder.InputTensor(input);
  const bool has_numbers = tensor.constant ? HasNumbersOfCodes(tensor) : IsQuantised(tensor);
  if (has_numbers || !tensor.quantization) return builder.Input(input);
  if (tensor.constant) return Dequantised(builder, tensor);
  return Scaled(builder, tensor, builder.Input(input));
}

ir::Source NumbersOfPort(Builder& builder, const Tensor& tensor, ir::Source codes) {
  const TensorQuantization& quantization = *tensor.quantization;
  if (!quantization.is_per_tensor()) return Scaled(builder, tensor, codes);
  Attributes attributes = Stated(quantization);
  const bool is_scaled = tensor.type != schema::ElementType::i8 && !HasShortSteps(builder, tensor);
  if (is_scaled) return Scaled(builder, tensor, codes, attributes);
  // One layer, so that no pass joins the scale with a constant factor after it.
  attributes["x_zero"] = attributes.at(ir::kStatedZero);
  return builder.Add("Dequantize", kOwnVersion, attributes, {codes});
}

ir::Source FirstCodes(Builder& builder, const Tensor& tensor, const Dims& dims) {
  const TensorType type = {IrTypeOf(tensor.type).value_or(ElementType::f32), dims};
  std::vector<std::byte> bytes(static_cast<size_t>(DenseBytes(type).value_or(0)));
  const int64_t zero = IsQuantised(tensor) ? tensor.quantization->zeros[0] : 0;
  const auto size = static_cast<size_t>(ElementBytes(type.type));
  for (size_t i = 0; zero != 0 && i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(zero >> (8 * (i % size)));
  }
  return builder.Const(type, std::move(bytes));
}

ir::Source StepCodes(Builder& builder, const Tensor& tensor, ir::Source numbers) {
  const CodeLimits codes = LimitsOf(tensor.type);
  const bool is_short = tensor.type == schema::ElementType::i16;
  const float scale = tensor.quantization->scales[0];
  const int64_t zero = is_short ? 0 : tensor.quantization->zeros[0];
  Attributes attributes = {{"inverse", fmt::format("{}", 1 / scale)},
                           {"scale", fmt::format("{}", scale)},
                           {"zero", std::to_string(zero)},
                           {"low", std::to_string(codes.min)},
                           {"high", std::to_string(codes.max)}};
  if (is_short) attributes["shorts"] = "1";
  return builder.Add("Quantize", kOwnVersion, attributes, {numbers});
}

ir::Source CodesOfPort(Builder& builder, const Tensor& tensor, ir::Source numbers) {
  const CodeLimits codes = LimitsOf(tensor.type);
  if (HasShortSteps(builder, tensor)) return StepCodes(builder, tensor, numbers);
  const ir::Source rounded = Rounded(builder, tensor, numbers, static_cast<float>(codes.min),
                                     static_cast<float>(codes.max), /*keeps_scale=*/false);
  return builder.Converted(rounded, *IrTypeOf(tensor.type));
}

ir::Source Quantised(Builder& builder, const Tensor& tensor, ir::Source numbers) {
  const CodeLimits codes = LimitsOf(tensor.type);
  return Rounded(builder, tensor, numbers, NumberOf(codes.min, *tensor.quantization),
                 NumberOf(codes.max, *tensor.quantization), /*keeps_scale=*/true);
}

ir::Source QuantisedFloats(Builder& builder, const Tensor& tensor, ir::Source numbers) {
  const ir::Source quantised = Quantised(builder, tensor, numbers);
  quantised.node->attributes[ir::kTies] = "away";
  return quantised;
}

}  // namespace weft::tflite
