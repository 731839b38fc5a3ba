// SPDX-License-Identifier: Apache-2.0
// Codes, multipliers and states of integer layers.
#ifndef WEFT_CONVERTER_TFLITE_RECURRENT_CODES_H_
#define WEFT_CONVERTER_TFLITE_RECURRENT_CODES_H_

#include <cstring>
#include <limits>
#include <optional>

#include "converter/tflite/builder.h"
#include "converter/tflite/quantised.h"

namespace weft::tflite {

// factor = mantissa / 2^31 * 2^exponent
struct Multiplier {
  int64_t mantissa = 0, exponent = 0;
};
inline constexpr int64_t kMaxExponent = 30;
Multiplier MultiplierOf(double factor);
// The mantissas, then the exponents, as an attribute.
std::string TextOf(std::span<const Multiplier> multipliers);

// (codes - x_zero) times a factor, plus `zero`, limited unless the results are i32. `below` is the
// factor of negative numbers.
struct Rescale {
  int64_t x_zero = 0, zero = 0;
  Multiplier above = {}, below = {};
  std::optional<CodeLimits> limits = std::nullopt;
  bool gives_shorts = false;
};
ir::Source Rescaled(Builder& b, const Rescale& rescale, ir::Source codes);

inline float ScaleOf(const Tensor& tensor) { return tensor.quantization->scales[0]; }
inline int64_t ZeroOf(const Tensor& tensor) { return tensor.quantization->zeros[0]; }
// i16 or i8.
ElementType CodeTypeOf(const Tensor& tensor);

// Adds a fault unless the tensor has one scale and this element type; the input must be a constant
// if `is_constant`, else computed.
bool RequireCodes(Builder& b, size_t input, schema::ElementType type, bool is_constant);
// Adds a fault unless the input is left out or a constant of `count` i32 or i64.
bool RequireSums(Builder& b, size_t input, int64_t count);
bool RequireCodesOfOutput(Builder& b, schema::ElementType type);
// Returns true if x and the weights are integers.
bool IsByteProduct(const Builder& b, size_t weights);

// The integers of a constant.
std::vector<int64_t> CodesOf(const Tensor& tensor);
// A constant of these integers; nullopt if one does not fit the type.
template <typename T>
std::optional<ir::Source> ConstantOf(Builder& b, ElementType type, Dims dims,
                                     const std::vector<int64_t>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < std::numeric_limits<T>::min() || numbers[i] > std::numeric_limits<T>::max()) {
      return std::nullopt;
    }
    const auto number = static_cast<T>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &number, sizeof(T));
  }
  return b.Const({type, std::move(dims)}, std::move(bytes));
}

// A variable of codes that are `start` at first.
ir::Source CodesOfVariable(Builder& b, size_t input, const Dims& dims, int64_t start);
// The codes of an input, which is computed as numbers.
ir::Source CodesOfInput(Builder& b, size_t input);
// Sets output 0 to the numbers of these codes.
void SetCodes(Builder& b, ir::Source codes);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_RECURRENT_CODES_H_
