// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/recurrent_codes.h"

#include <cmath>

#include "converter/tflite/quantised.h"

namespace weft::tflite {

Multiplier MultiplierOf(double factor) {
  if (factor == 0) return {};
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  auto mantissa = static_cast<int64_t>(std::round(fraction * 0x1p31));
  if (mantissa == int64_t{1} << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  return {mantissa, exponent};
}

std::string TextOf(std::span<const Multiplier> multipliers) {
  std::vector<int64_t> numbers;
  for (const Multiplier& by : multipliers) numbers.push_back(by.mantissa);
  for (const Multiplier& by : multipliers) numbers.push_back(by.exponent);
  return ListText(numbers);
}

ir::Source Rescaled(Builder& b, const Rescale& rescale, ir::Source codes) {
  Attributes attributes = {{"function", "rescale"},
                           {"x_zero", std::to_string(rescale.x_zero)},
                           {"zero", std::to_string(rescale.zero)},
                           {"a_multiplier", TextOf(std::span(&rescale.above, 1))},
                           {"b_multiplier", TextOf(std::span(&rescale.below, 1))}};
  if (rescale.gives_shorts) attributes["shorts"] = "1";
  if (rescale.limits) {
    attributes["low"] = std::to_string(rescale.limits->min);
    attributes["high"] = std::to_string(rescale.limits->max);
  }
  return b.Add("QuantizedUnary", kOwnVersion, attributes, {codes});
}

bool RequireCodes(Builder& b, size_t input, schema::ElementType type, bool is_constant) {
  const Tensor& tensor = b.InputTensor(input);
  const bool holds = b.Has(input) && tensor.type == type && tensor.quantization &&
                     tensor.quantization->is_per_tensor() &&
                     tensor.constant.has_value() == is_constant;
  if (!holds) {
    b.Refuse("input {} \"{}\" must be {} {} with one scale", input, tensor.name,
             is_constant ? "a constant of" : "computed", EnumNameElementType(type));
  }
  return holds;
}

bool RequireSums(Builder& b, size_t input, int64_t count) {
  using Type = schema::ElementType;
  if (!b.Has(input)) return true;
  const Tensor& tensor = b.InputTensor(input);
  const bool holds = tensor.constant && ElementCount(tensor.dims) == count &&
                     (tensor.type == Type::i32 || tensor.type == Type::i64);
  if (!holds) {
    b.Refuse("input {} \"{}\" must be a constant of {} i32 or i64", input, tensor.name, count);
  }
  return holds;
}

std::vector<int64_t> CodesOf(const Tensor& tensor) { return ir::IntegersOf(*tensor.constant); }

ir::Source CodesOfVariable(Builder& b, size_t input, const Dims& dims, int64_t start) {
  const Tensor& tensor = b.InputTensor(input);
  const std::vector<int64_t> zeros(b.VariableElements(input, dims), start);
  if (zeros.empty()) return b.Float(0);
  const auto initial = tensor.type == schema::ElementType::i8
                           ? ConstantOf<int8_t>(b, ElementType::i8, dims, zeros)
                           : ConstantOf<int16_t>(b, ElementType::i16, dims, zeros);
  if (!initial) {
    b.Refuse("the zero point of variable \"{}\" is {}; must be a code", tensor.name, start);
    return b.Float(0);
  }
  return b.State(b.VariableName(input), *initial);
}

ElementType CodeTypeOf(const Tensor& tensor) {
  return tensor.type == schema::ElementType::i16 ? ElementType::i16 : ElementType::i8;
}

ir::Source CodesOfInput(Builder& b, size_t input) {
  return StepCodes(b, b.InputTensor(input), b.Input(input));
}

void SetCodes(Builder& b, ir::Source codes) {
  const Tensor& tensor = b.OutputTensor(0);
  b.Set(0, NumbersOfPort(b, tensor, codes));
}

bool RequireCodesOfOutput(Builder& b, schema::ElementType type) {
  const Tensor& tensor = b.OutputTensor(0);
  const bool holds =
      tensor.type == type && tensor.quantization && tensor.quantization->is_per_tensor();
  if (!holds) {
    b.Refuse("output \"{}\" must be {} with one scale", tensor.name, EnumNameElementType(type));
  }
  return holds;
}

bool IsByteProduct(const Builder& b, size_t weights) {
  return b.Has(weights) && IsQuantised(b.InputTensor(0)) &&
         b.InputTensor(weights).type == schema::ElementType::i8;
}

}  // namespace weft::tflite
