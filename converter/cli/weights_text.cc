// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/weights_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "converter/cli/table.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

// Returns true if the call requests a type narrower than f32 for any layer.
bool RequestsNarrow(const program::Precisions& precisions) {
  const auto is_narrow = [](const program::Precision& precision) {
    return precision && *precision != ElementType::f32;
  };
  return is_narrow(precisions.all) ||
         std::ranges::any_of(precisions.layers,
                             [&](const auto& layer) { return is_narrow(layer.second); });
}

// Returns the names that --precision has for the layers of this element type: "i8 and i8x8".
std::string NamesOf(const program::WeightsReport& weights, ElementType type) {
  std::set<std::string> names;
  for (const program::LayerWeights& layer : weights.layers) {
    if (layer.type == type) names.insert(program::TypeText(layer));
  }
  if (names.empty()) names.insert(format::EnumNameElementType(type));
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace

std::string WeightsText(const program::WeightsReport& weights) {
  std::string text;
  for (const program::WeightsOfType& one : weights.types) {
    text += fmt::format("{}{}{} as {}", text.empty() ? "layer weights: " : ", ", one.bytes,
                        text.empty() ? " bytes" : "", NamesOf(weights, one.type));
    if (one.type != ElementType::f32) text += one.is_rounded ? " (rounded)" : " (exact)";
  }
  return text;
}

nlohmann::ordered_json WeightsJson(const std::vector<program::WeightsOfType>& weights) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const program::WeightsOfType& one : weights) {
    list.push_back({{"type", format::EnumNameElementType(one.type)},
                    {"exact", !one.is_rounded},
                    {"bytes", one.bytes}});
  }
  return list;
}

nlohmann::ordered_json LayerWeightsJson(const std::vector<program::LayerWeights>& layers) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const program::LayerWeights& one : layers) {
    nlohmann::ordered_json noise = nullptr;
    if (std::isfinite(one.signal_to_noise_db)) noise = one.signal_to_noise_db;
    list.push_back({{"layer", one.layer},
                    {"type", program::TypeText(one)},
                    {"bytes_before", one.bytes_before},
                    {"bytes", one.bytes},
                    {"signal_to_noise_db", noise}});
    if (!one.f32_because.empty()) list.back()["f32_because"] = one.f32_because;
  }
  return list;
}

std::string LayerWeightsText(const std::vector<program::LayerWeights>& layers,
                             const program::Precisions& requested) {
  Table table({"layer", "weights", ">bytes before", ">bytes after", ">signal to noise, dB"});
  std::string fixed;
  bool has_rows = false;
  for (const program::LayerWeights& one : layers) {
    if (!one.f32_because.empty() && one.bytes >= program::kMinListedBytes) {
      fixed += fmt::format("{}: {} bytes stay f32: {}\n", one.layer, one.bytes, one.f32_because);
    }
    if (!std::isfinite(one.signal_to_noise_db)) continue;
    has_rows = true;
    table.Row({one.layer, program::TypeText(one), fmt::format("{}", one.bytes_before),
               fmt::format("{}", one.bytes), fmt::format("{:.1f}", one.signal_to_noise_db)});
  }
  if (!has_rows && !RequestsNarrow(requested)) return "";
  return (has_rows ? table.Text() : "") + fixed;
}

}  // namespace weft::cli
