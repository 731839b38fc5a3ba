// SPDX-License-Identifier: Apache-2.0
#include "converter/program/scaled_products.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/scaled_weights.h"
#include "converter/program/integer_weights.h"

namespace weft::program {
namespace {

// Pixels of a convolution that share a widened weight on most targets.
constexpr uint64_t kMaxPixels = 4;

bool HasFewPixels(const Step* step) {
  const auto* conv = std::get_if<format::ConvParams>(&step->params);
  return conv == nullptr ||
         uint64_t{conv->batch()} * conv->out_height() * conv->out_width() <= kMaxPixels;
}

std::vector<ScaledPart> PartsOfStep(const Step& step) {
  const auto parts = [](const auto& params) -> std::vector<ScaledPart> {
    if constexpr (requires { ScaledPartsOf(params); }) return ScaledPartsOf(params);
    return {};
  };
  return std::visit(parts, step.params);
}

// Returns the parts that all readers agree on; empty if there are none.
std::vector<ScaledPart> PartsOf(const WeightUse& use) {
  std::vector<ScaledPart> parts = PartsOfStep(*use.readers.front());
  for (const Step* step : use.readers.subspan(1)) {
    if (PartsOfStep(*step) != parts) return {};
  }
  return parts;
}

EncodedWeights Encoded(const std::vector<std::byte>& memory, const std::vector<ScaledPart>& parts) {
  EncodedWeights encoded;
  encoded.parts.push_back({.numbers = {ElementType::i8, memory}});
  encoded.floats = WidenScaled(memory, parts);
  return encoded;
}

}  // namespace

bool SuitsScales(const WeightUse& use) { return !PartsOf(use).empty(); }

std::optional<EncodedWeights> KeepScaled(const CodedFloats& weights, const WeightUse& use) {
  const auto bytes = std::ssize(weights.floats) * static_cast<int64_t>(sizeof(float));
  if (bytes < kMinScaledBytes || !std::ranges::all_of(use.readers, HasFewPixels)) {
    return std::nullopt;
  }
  const std::vector<ScaledPart> parts = PartsOf(use);
  const auto memory = ScaledMemory(weights.floats, parts, ExactGridOf);
  return memory ? std::optional(Encoded(*memory, parts)) : std::nullopt;
}

EncodedWeights RoundToScaled(const CodedFloats& weights, const WeightUse& use,
                             const WeightType& /*type*/) {
  const std::vector<ScaledPart> parts = PartsOf(use);
  const auto nearest = [](std::span<const float> row) -> std::optional<IntegerGrid> {
    std::optional<IntegerGrid> exact = ExactGridOf(row);
    return exact ? std::move(exact) : NearestIntegers(row);
  };
  return Encoded(ScaledMemory(weights.floats, parts, nearest).value(), parts);
}

}  // namespace weft::program
