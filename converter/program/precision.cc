// SPDX-License-Identifier: Apache-2.0
// Names of weight types in options and reports.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "converter/program/group_weights.h"
#include "converter/program/narrow_weights.h"

namespace weft::program {

std::optional<Precision> PrecisionOf(std::string_view name) {
  if (name == "auto") return Precision();
  if (name == "f32") return Precision(ElementType::f32);
  if (name == "i8") return Precision(ElementType::i8);
  if (name == "i8x8") return Precision(WeightType(ElementType::i8, 0, kNarrowRows));
  if (const auto group = GroupNamed(name)) return Precision(WeightType(ElementType::i4, *group));
#define WEFT_WEIGHTS(name_of_type, ...) \
  if (name == #name_of_type) return Precision(ElementType::name_of_type);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
  return std::nullopt;
}

std::string PrecisionNames() {
  std::string names =
      "auto, f32"
#define WEFT_WEIGHTS(name, ...) ", " #name
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
      ", i8, i8x8";
  for (const std::string_view name : kGroupTypes) names.append(", ").append(name);
  return names;
}

std::string TypeText(const LayerWeights& weights) {
  const std::string_view type = format::EnumNameElementType(weights.type);
  if (weights.group != 0) return fmt::format("{}:{}", type, weights.group);
  return weights.row_bits == kWideRows ? std::string(type)
                                       : fmt::format("{}x{}", type, weights.row_bits);
}

void WeightsReport::Add(LayerWeights layer) {
  const auto found = std::ranges::find_if(
      types, [&](const WeightsOfType& one) { return one.type == layer.type && !one.is_rounded; });
  if (found == types.end()) {
    types.push_back({layer.type, false, layer.bytes});
  } else {
    found->bytes += layer.bytes;
  }
  layers.push_back(std::move(layer));
}

}  // namespace weft::program
