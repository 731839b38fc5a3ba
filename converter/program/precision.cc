// SPDX-License-Identifier: Apache-2.0
// Names of weight types in options and reports.
#include <algorithm>
#include <utility>

#include "converter/program/narrow_weights.h"
#include "converter/program/weight_encodings.h"

namespace weft::program {
namespace {

constexpr std::string_view kAuto = "auto";

}  // namespace

bool IsInteger(const WeightType &type) { return EncodingOf(type).multiply != nullptr; }

std::optional<Precision> PrecisionOf(std::string_view name) {
  if (name == kAuto) return Precision();
  for (const WeightEncoding &encoding : WeightEncodings()) {
    const auto found = std::ranges::find(encoding.names, name, &NamedWeightType::name);
    if (found != encoding.names.end()) return Precision(found->type);
  }
  return std::nullopt;
}

std::string PrecisionNames() {
  std::string names(kAuto);
  for (const WeightEncoding &encoding : WeightEncodings()) {
    for (const NamedWeightType &type : encoding.names) names.append(", ").append(type.name);
  }
  return names;
}

std::string TypeText(const LayerWeights &weights) {
  const WeightType type(weights.type, weights.group, weights.row_bits);
  const WeightEncoding &encoding = EncodingOf(type);
  const auto found = std::ranges::find(encoding.names, type, &NamedWeightType::type);
  return std::string(found != encoding.names.end() ? found->name : weft::Name(type.type));
}

void WeightsReport::Add(LayerWeights layer) {
  const auto found = std::ranges::find_if(
      types, [&](const WeightsOfType &one) { return one.type == layer.type && !one.is_rounded; });
  if (found == types.end()) {
    types.push_back({layer.type, false, layer.bytes});
  } else {
    found->bytes += layer.bytes;
  }
  layers.push_back(std::move(layer));
}

}  // namespace weft::program
