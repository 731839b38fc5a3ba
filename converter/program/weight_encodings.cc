// SPDX-License-Identifier: Apache-2.0
#include "converter/program/weight_encodings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/program/group_weights.h"
#include "converter/program/integer_products.h"
#include "converter/program/integer_weights.h"
#include "kernels/elementwise/convert.h"

namespace weft::program {
namespace {

StoredElements Converted(const StoredElements& elements, ElementType to) {
  const auto bits = [](ElementType type) { return static_cast<size_t>(weft::BitsOf(type)); };
  const size_t count = elements.bytes.size() * 8 / bits(elements.type);
  StoredElements converted = {to, std::vector<std::byte>(count * bits(to) / 8)};
  const kernels::ConvertShape shape = {Narrow32(count, "weights"),
                                       static_cast<kernels::Element>(elements.type),
                                       static_cast<kernels::Element>(to)};
  kernels::Convert(shape, elements.bytes.data(), converted.bytes.data());
  return converted;
}

bool SuitsAll(const ProductShape* /*shape*/) { return true; }
EncodedWeights RoundToFloats(const CodedFloats& weights, const ProductShape* /*shape*/,
                             const WeightType& type) {
  EncodedWeights encoded;
  encoded.parts.push_back(
      {.numbers = Converted(Stored<float>(ElementType::f32, weights.floats), type.type)});
  encoded.floats = FloatsOf(Converted(encoded.parts[0].numbers, ElementType::f32).bytes);
  return encoded;
}
template <ElementType type>
std::optional<EncodedWeights> KeepFloats(const CodedFloats& weights, const ProductShape* shape) {
  EncodedWeights encoded = RoundToFloats(weights, shape, type);
  if (encoded.floats != weights.floats) return std::nullopt;  // also for NaN
  return encoded;
}

bool SuitsI8(const ProductShape* shape) { return shape != nullptr && GainsFromIntegers(*shape); }
std::optional<EncodedWeights> KeepI8(const CodedFloats& weights, const ProductShape* shape) {
  return KeptProduct(weights, *shape);
}
EncodedWeights RoundToI8(const CodedFloats& weights, const ProductShape* shape,
                         const WeightType& /*type*/) {
  return QuantizeProduct(weights.floats, *shape);
}

bool SuitsI4(const ProductShape* shape) { return SuitsI8(shape) && shape->over == SumsOver::kRows; }
std::optional<EncodedWeights> KeepI4(const CodedFloats& weights, const ProductShape* shape) {
  return KeptGroups(weights, shape->inputs, shape->outputs);
}
EncodedWeights RoundToI4(const CodedFloats& weights, const ProductShape* shape,
                         const WeightType& type) {
  return QuantizeGroups(weights.floats, shape->inputs, shape->outputs, type.group);
}

std::vector<WeightEncoding> AllEncodings() {
  using enum ElementType;
  return {
      {.type = f32,
       .names = {{"f32", f32}},
       .suits = SuitsAll,
       .keep = KeepFloats<f32>,
       .round = RoundToFloats},
#define WEFT_WEIGHTS(name, ...) \
  {.type = name,                \
   .names = {{#name, name}},    \
   .is_default = name == f16,   \
   .suits = SuitsAll,           \
   .keep = KeepFloats<name>,    \
   .round = RoundToFloats},
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
      {.type = i8,
       .names = {{"i8", i8}, {"i8x8", {i8, 0, kNarrowRows}}},
       .is_default = true,
       .products = "a product of 16 inputs and 16 outputs or more, or a depthwise convolution of 3 "
                   "taps or more",
       .suits = SuitsI8,
       .keep = KeepI8,
       .round = RoundToI8,
       .multiply = MultiplyByI8},
      {.type = i4,
       .names = {{"i4:32", {i4, 32}}, {"i4:64", {i4, 64}}, {"i4:128", {i4, 128}}},
       .is_default = true,
       .products = "a dense product or a pointwise convolution of 16 inputs and 16 outputs or more",
       .suits = SuitsI4,
       .keep = KeepI4,
       .round = RoundToI4,
       .multiply = MultiplyByI4},
  };
}

}  // namespace

std::span<const WeightEncoding> WeightEncodings() {
  static const std::vector<WeightEncoding> all = AllEncodings();
  return all;
}

const WeightEncoding& EncodingOf(ElementType type) {
  return *std::ranges::find(WeightEncodings(), type, &WeightEncoding::type);
}

}  // namespace weft::program
