// SPDX-License-Identifier: Apache-2.0
#include "converter/program/choose_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "converter/program/weight_encodings.h"

namespace weft::program {
namespace {

// A possible type of a layer, measured with all other layers unchanged.
struct TypeCandidate {
  std::string type;  // empty: the current one
  int64_t bytes = 0;
  double noise = 0;
};

// A change of a layer from one type to the next narrower one.
struct NarrowerType {
  std::string layer, from, to;
  double noise_per_byte = 0;
};

double NoisePerByte(const TypeCandidate& from, const TypeCandidate& to) {
  return (to.noise - from.noise) / static_cast<double>(from.bytes - to.bytes);
}

// Returns the lower convex hull of noise over bytes saved: each omitted type adds more noise per
// byte than the type after it.
std::vector<TypeCandidate> Hull(std::vector<TypeCandidate> candidates) {
  std::ranges::stable_sort(candidates, [](const TypeCandidate& a, const TypeCandidate& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.noise < b.noise;
  });
  std::vector<TypeCandidate> hull;
  for (TypeCandidate& next : candidates) {
    if (!hull.empty() && next.bytes == hull.back().bytes) continue;
    // Drops earlier types that are no better in either measure, except the layer's current type.
    while (hull.size() > 1 && hull.back().noise >= next.noise) hull.pop_back();
    while (hull.size() > 1 &&
           NoisePerByte(hull[hull.size() - 2], hull.back()) >= NoisePerByte(hull.back(), next)) {
      hull.pop_back();
    }
    hull.push_back(std::move(next));
  }
  return hull;
}

std::vector<TypeCandidate> TypesOfLayer(const std::string& layer,
                                        const std::vector<std::string>& types,
                                        const Measured& whole, const Measure& measure) {
  std::vector<TypeCandidate> candidates = {{"", whole.bytes, 0}};
  for (const std::string& type : types) {
    const std::optional<Measured> measured = measure({{layer, type}});
    if (!measured || measured->bytes >= whole.bytes || !std::isfinite(measured->noise)) continue;
    candidates.push_back({type, measured->bytes, measured->noise});
  }
  return candidates;
}

// Returns the changes of all layers, the best first; changes of one layer keep their order.
std::vector<NarrowerType> NarrowerTypes(const std::vector<std::string>& layers,
                                        const std::vector<std::string>& types,
                                        const Measured& whole, const Measure& measure) {
  std::vector<NarrowerType> steps;
  for (const std::string& layer : layers) {
    const std::vector<TypeCandidate> hull = Hull(TypesOfLayer(layer, types, whole, measure));
    for (size_t i = 1; i < hull.size(); ++i) {
      steps.push_back({layer, hull[i - 1].type, hull[i].type, NoisePerByte(hull[i - 1], hull[i])});
    }
  }
  std::ranges::stable_sort(steps, {}, &NarrowerType::noise_per_byte);
  return steps;
}

LayerTypes FirstTypes(const std::vector<NarrowerType>& steps, size_t count) {
  LayerTypes types;
  for (size_t i = 0; i < count; ++i) types[steps[i].layer] = steps[i].to;
  return types;
}

}  // namespace

std::vector<std::string> NarrowTypes() {
  std::vector<std::string> types;
  for (const WeightEncoding& encoding : WeightEncodings()) {
    if (encoding.type == ElementType::f32) continue;
    for (const auto& [name, type] : encoding.names) {
      if (type.row_bits == kWideRows) types.emplace_back(name);
    }
  }
  return types;
}

std::vector<std::string> TextsOf(const LayerTypes& types) {
  std::vector<std::string> texts;
  for (const auto& [layer, type] : types) texts.push_back(fmt::format("{}={}", layer, type));
  return texts;
}

LayerTypes ChooseTypes(const std::vector<std::string>& layers,
                       const std::vector<std::string>& candidates, const Accepts& accepts,
                       const Measure& measure_always) {
  int trials_left = kMaxTypeTrials / 3 * 2;
  const Measure measure = [&](const LayerTypes& types) -> std::optional<Measured> {
    if (trials_left == 0) return std::nullopt;
    --trials_left;
    return measure_always(types);
  };
  const std::optional<Measured> whole = measure({});
  if (!whole) return {};
  const std::vector<NarrowerType> steps = NarrowerTypes(layers, candidates, *whole, measure);
  trials_left += kMaxTypeTrials / 3;
  const auto fits = [&](const LayerTypes& types) {
    const std::optional<Measured> measured = measure(types);
    return measured && accepts(*measured);
  };
  // The error may not grow with every change, but every accepted choice has been measured.
  size_t fitting = 0, beyond = steps.size() + 1;
  while (beyond - fitting > 1) {
    const size_t middle = fitting + (beyond - fitting) / 2;
    (fits(FirstTypes(steps, middle)) ? fitting : beyond) = middle;
  }
  LayerTypes types = FirstTypes(steps, fitting);
  for (size_t i = fitting; i < steps.size(); ++i) {
    const auto has = types.find(steps[i].layer);
    if ((has == types.end() ? "" : has->second) != steps[i].from) continue;
    LayerTypes tried = types;
    tried[steps[i].layer] = steps[i].to;
    if (fits(tried)) types = std::move(tried);
  }
  return types;
}

}  // namespace weft::program
