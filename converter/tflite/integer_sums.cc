// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/integer_sums.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "converter/tflite/quantised.h"
#include "converter/tflite/recurrent_codes.h"

namespace weft::tflite {
namespace {

using Code = schema::ElementType;

bool HasCodes(const Tensor& tensor, Code type) {
  return IsQuantised(tensor) && tensor.type == type && tensor.quantization->is_per_tensor() &&
         (type == Code::i8 || ZeroOf(tensor) == 0);
}

// The codes between which an activation limits the output.
struct Limits {
  int64_t low = -128, high = 127;
};

Limits LimitsOf(const Tensor& to, schema::Activation activation) {
  const auto code = [&](float number) {
    return ZeroOf(to) + static_cast<int64_t>(std::round(number / ScaleOf(to)));
  };
  const Limits type = to.type == Code::i16 ? Limits{-0x8000, 0x7FFF} : Limits();
  Limits limits = type;
  using Activation = schema::Activation;
  if (activation == Activation::relu || activation == Activation::relu6) limits.low = code(0);
  if (activation == Activation::relu_n1_to_1) limits.low = code(-1);
  if (activation == Activation::relu6) limits.high = code(6);
  if (activation == Activation::relu_n1_to_1) limits.high = code(1);
  return {std::max(limits.low, type.low), std::min(limits.high, type.high)};
}

// tflite-micro multiplies terms by 2^20, and by the ratio 1/2 of their scale to twice the scale.
constexpr int kTermBits = 19;

// (codes - zero) * 2^bits of an input of int8 codes, in i32. A factor of 2^bits has the mantissa
// 1/2.
ir::Source Centred(Builder& b, size_t input, int bits) {
  const Tensor& tensor = b.InputTensor(input);
  const int64_t zero = ZeroOf(tensor);
  if (tensor.constant) {
    std::vector<int64_t> numbers = CodesOf(tensor);
    for (int64_t& number : numbers) number = (number - zero) * (int64_t{1} << bits);
    if (const auto made = ConstantOf<int32_t>(b, ElementType::i32, tensor.dims, numbers))
      return *made;
  }
  const Multiplier by = {int64_t{1} << 30, bits + 1};
  const std::string text = TextOf(std::span(&by, 1));
  return b.Add("QuantizedUnary", kOwnVersion,
               {{"function", "rescale"},
                {"x_zero", std::to_string(zero)},
                {"zero", "0"},
                {"a_multiplier", text},
                {"b_multiplier", text}},
               {CodesOfInput(b, input)});
}

// Sets output 0 to (sums - zero) * factor.
void SetRescaled(Builder& b, ir::Source sums, int64_t zero, double factor,
                 schema::Activation activation) {
  const Tensor& to = b.OutputTensor(0);
  const bool is_short = to.type == Code::i16;
  // As kernels/simd/requantise.h and unary_q8.h limit it.
  const int64_t max_exponent = is_short ? 14 : 30;
  const Multiplier by = MultiplierOf(factor);
  if (by.exponent > max_exponent) {
    b.Refuse("scales of the inputs, divided by that of the output, are {}; must be below 2^{}",
             factor, max_exponent);
  }
  const std::string text = TextOf(std::span(&by, 1));
  const Limits limits = LimitsOf(to, activation);
  Attributes attributes = {{"function", "rescale"},
                           {"x_zero", std::to_string(zero)},
                           {"zero", std::to_string(ZeroOf(to))},
                           {"low", std::to_string(limits.low)},
                           {"high", std::to_string(limits.high)},
                           {"a_multiplier", text},
                           {"b_multiplier", is_short ? "0,0" : text}};
  if (is_short) attributes["shorts"] = "1";
  SetCodes(b, b.Add("QuantizedUnary", kOwnVersion, attributes, {sums}));
}

}  // namespace

bool HasSums(const Builder& b, size_t inputs, Code type) {
  if (b.rounds_as_litert() || !HasCodes(b.OutputTensor(0), type)) return false;
  for (size_t i = 0; i < inputs; ++i) {
    if (!b.Has(i) || !HasCodes(b.InputTensor(i), type)) return false;
  }
  return true;
}

ir::Source CentredCodes(Builder& b, size_t input) {
  if (b.InputTensor(input).type != Code::i16) return Centred(b, input, 0);
  return b.Converted(CodesOfInput(b, input), ElementType::i64);
}

void SetFromSums(Builder& b, ir::Source sums, double factor, schema::Activation activation) {
  SetRescaled(b, sums, 0, factor, activation);
}

ir::Source Term(Builder& b, size_t input) { return Centred(b, input, kTermBits); }

void SetFromTerms(Builder& b, ir::Source sums) {
  const Tensor& first = b.InputTensor(0);
  const double scale = static_cast<double>(ScaleOf(first));
  const double factor = scale / static_cast<double>(ScaleOf(b.OutputTensor(0)));
  SetRescaled(b, sums, ZeroOf(first) * (int64_t{1} << kTermBits), std::ldexp(factor, -kTermBits),
              schema::Activation::none);
}

}  // namespace weft::tflite
