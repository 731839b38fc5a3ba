// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/integer_sums.h"

#include <algorithm>
#include <cmath>

#include "converter/tflite/recurrent_codes.h"
#include "kernels/simd/requantise.h"

namespace weft::tflite {
namespace {

using Code = schema::ElementType;

bool HasCodes(const Tensor& tensor, Code type) {
  return IsQuantised(tensor) && tensor.type == type && tensor.quantization->is_per_tensor() &&
         (type == Code::i8 || ZeroOf(tensor) == 0);
}

// The codes between which an activation limits the output.
CodeLimits ActivationLimits(const Tensor& to, schema::Activation activation) {
  const auto code = [&](float number) {
    return ZeroOf(to) + static_cast<int64_t>(std::round(number / ScaleOf(to)));
  };
  using Activation = schema::Activation;
  const CodeLimits type = LimitsOf(to.type);
  CodeLimits limits = type;
  if (activation == Activation::relu || activation == Activation::relu6) limits.min = code(0);
  if (activation == Activation::relu_n1_to_1) limits.min = code(-1);
  if (activation == Activation::relu6) limits.max = code(6);
  if (activation == Activation::relu_n1_to_1) limits.max = code(1);
  return {std::max(limits.min, type.min), std::min(limits.max, type.max)};
}

// tflite-micro multiplies terms by 2^20, and by the ratio 1/2 of their scale to twice the scale.
constexpr int kTermBits = 19;

// (codes - zero) * 2^bits of an input of int8 codes, in i16 if bits is 0, else in i32. A factor of
// 2^bits has the mantissa 1/2.
ir::Source Centred(Builder& b, size_t input, int bits) {
  const bool is_short = bits == 0;
  const Tensor& tensor = b.InputTensor(input);
  const int64_t zero = ZeroOf(tensor);
  if (tensor.constant) {
    std::vector<int64_t> numbers = CodesOf(tensor);
    for (int64_t& number : numbers) number = (number - zero) * (int64_t{1} << bits);
    const auto made = is_short ? ConstantOf<int16_t>(b, ElementType::i16, tensor.dims, numbers)
                               : ConstantOf<int32_t>(b, ElementType::i32, tensor.dims, numbers);
    if (made) return *made;
  }
  const Multiplier by = {int64_t{1} << 30, bits + 1};
  Rescale rescale = {.x_zero = zero, .above = by, .below = by};
  if (is_short) rescale.limits = LimitsOf(Code::i16);
  rescale.gives_shorts = is_short;
  return Rescaled(b, rescale, CodesOfInput(b, input));
}

// Sets output 0 to (sums - zero) * factor.
void SetRescaled(Builder& b, ir::Source sums, int64_t zero, double factor,
                 schema::Activation activation) {
  const Tensor& to = b.OutputTensor(0);
  const bool is_short = to.type == Code::i16;
  const int64_t max_exponent = is_short ? kernels::kMaxShortExponent : kMaxExponent;
  const Multiplier by = MultiplierOf(factor);
  if (by.exponent > max_exponent) {
    b.Refuse("scales of the inputs, divided by that of the output, are {}; must be below 2^{}",
             factor, max_exponent);
  }
  Rescale rescale = {.x_zero = zero, .zero = ZeroOf(to), .above = by};
  if (!is_short) rescale.below = by;  // sums of 64 bits have one factor
  rescale.limits = ActivationLimits(to, activation);
  rescale.gives_shorts = is_short;
  SetCodes(b, Rescaled(b, rescale, sums));
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
