// SPDX-License-Identifier: Apache-2.0
#include "converter/program/weight_encodings.h"

#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/program/group_weights.h"
#include "converter/program/integer_products.h"
#include "converter/program/integer_weights.h"
#include "converter/program/scaled_products.h"
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

bool SuitsAll(const WeightUse& /*use*/) { return true; }
EncodedWeights RoundToFloats(const CodedFloats& weights, const WeightUse& /*use*/,
                             const WeightType& type) {
  EncodedWeights encoded;
  encoded.parts.push_back(
      {.numbers = Converted(Stored<float>(ElementType::f32, weights.floats), type.type)});
  encoded.floats = FloatsOf(Converted(encoded.parts[0].numbers, ElementType::f32).bytes);
  return encoded;
}
template <ElementType type>
std::optional<EncodedWeights> KeepFloats(const CodedFloats& weights, const WeightUse& use) {
  EncodedWeights encoded = RoundToFloats(weights, use, type);
  if (encoded.floats != weights.floats) return std::nullopt;  // also for NaN
  return encoded;
}

bool SuitsI8(const WeightUse& use) { return use.shape != nullptr && GainsFromIntegers(*use.shape); }
std::optional<EncodedWeights> KeepI8(const CodedFloats& weights, const WeightUse& use) {
  return KeptProduct(weights, *use.shape);
}
EncodedWeights RoundToI8(const CodedFloats& weights, const WeightUse& use,
                         const WeightType& /*type*/) {
  return QuantizeProduct(weights.floats, *use.shape);
}

bool SuitsI4(const WeightUse& use) { return SuitsI8(use) && use.shape->over == SumsOver::kRows; }
std::optional<EncodedWeights> KeepI4(const CodedFloats& weights, const WeightUse& use) {
  return KeptGroups(weights, use.shape->inputs, use.shape->outputs);
}
EncodedWeights RoundToI4(const CodedFloats& weights, const WeightUse& use, const WeightType& type) {
  return QuantizeGroups(weights.floats, use.shape->inputs, use.shape->outputs, type.group);
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
      {.type = {i8, 0, kFloatRows},
       .names = {{"i8x32", {i8, 0, kFloatRows}}},
       .is_default = true,
       .products = "a product, a cell or a convolution that is not depthwise",
       .suits = SuitsScales,
       .keep = KeepScaled,
       .round = RoundToScaled},
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

const WeightEncoding& EncodingOf(const WeightType& type) {
  return *std::ranges::find_if(WeightEncodings(), [&](const WeightEncoding& encoding) {
    return encoding.type.type == type.type && IsScaled(encoding.type) == IsScaled(type);
  });
}

}  // namespace weft::program
