// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/shorts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "kernels/reduce/softmax_q16.h"

namespace weft::graph {
namespace {

using kernels::Multiplier;

// The factor 1.
constexpr Multiplier kUnity = {1 << 30, 1};

bool IsInside(const QuantParams& inner, const QuantParams& outer) {
  return inner.low >= outer.low && inner.high <= outer.high;
}

ir::Source NewUnary(ir::Graph& graph, const ir::Node& like, ir::Source codes,
                    NodeAttributes attributes) {
  return NewOperation(graph, like, "QuantizedUnary", ops::kPassOnly, {codes}, attributes);
}

ir::Source NewRescale(ir::Graph& graph, const ir::Node& like, ir::Source codes, int zero,
                      const QuantParams& to, const Multiplier& above, const Multiplier& below) {
  NodeAttributes attributes = {{ops::kCodeFunction, "rescale"},
                               {ops::kInputZero, std::to_string(zero)},
                               {ops::kFirstMultiplier, AttributeOf(above)},
                               {ops::kSecondMultiplier, AttributeOf(below)}};
  WriteQuantParams(attributes, to);
  return NewUnary(graph, like, codes, attributes);
}

std::optional<ir::Source> LeakyRelu(QuantiseSite& site, const ir::Node& node,
                                    const QuantParams& from, const QuantParams& to) {
  const std::optional<SlopeMultipliers> by = SlopeMultipliersOf(node, from, to);
  if (!by) return std::nullopt;
  return NewRescale(site.graph(), node, site.Integers(node.inputs[0]), from.zero, to, by->above,
                    by->below);
}

// Returns true if tflite-micro regards the scale as this power of two.
bool IsPower(double scale, int exponent) { return std::fabs(std::log2(scale) - exponent) < 1e-3; }

// The argument of a sigmoid or tanh in units of 1/12288: a factor of at most 15 bits, and a shift.
// Scales of 2^-12, and 2^-11 for tanh, have a short factor.
Multiplier ArgumentOf(double scale, bool is_tanh) {
  if (IsPower(scale, -12)) return {3, 0};
  if (is_tanh && IsPower(scale, -11)) return {6, 0};
  double factor = scale * 3 * 4096;
  int32_t shift = 0;
  for (; factor <= 32767.0 / 2 && shift <= 30; factor *= 2) ++shift;
  return {static_cast<int32_t>(std::fmin(factor, 32768)), -shift};
}

// SIGMOID or TANH, whose results are in units of 2^-15.
std::optional<ir::Source> Gate(QuantiseSite& site, const ir::Node& node, const QuantParams& from,
                               const QuantParams& to, bool is_tanh) {
  constexpr int32_t kMaxFactor = 0x7FFF;
  const Multiplier argument = ArgumentOf(from.scale, is_tanh);
  if (!IsPower(to.scale, -15) || argument.mantissa > kMaxFactor) return std::nullopt;
  NodeAttributes attributes = {{ops::kCodeFunction, is_tanh ? "tanh" : "sigmoid"},
                               {ops::kFirstMultiplier, AttributeOf(argument)}};
  WriteQuantParams(attributes, to);
  return NewUnary(site.graph(), node, site.Integers(node.inputs[0]), attributes);
}

// tflite-micro's table of a function of 513 evenly spaced numbers from `low` on, in units of 2^-15.
// Half of the error of the interpolation in the middle is subtracted from each number. All numbers
// are floats, as there.
std::vector<int64_t> InterpolationTable(float low, float high, float (*function)(float)) {
  constexpr int64_t kSteps = kernels::kSoftmaxTable - 1;
  constexpr float kScale = 2.0f / 65535;
  constexpr float kInverse = 65536.0f / (kScale * 32767 - kScale * -32768);
  const float step = (high - low) / kSteps, half = step / 2;
  std::vector<int64_t> table;
  const auto add = [&](float number) {
    table.push_back(static_cast<int64_t>(std::clamp(number, -32768.0f, 32767.0f)));
  };
  for (int64_t i = 0; i < kSteps; ++i) {
    const float at = low + static_cast<float>(i) * step;
    const float next = low + static_cast<float>(i + 1) * step;
    const float sample = std::round(function(at) * kInverse);
    const float middle = std::round((function(next) * kInverse + sample) / 2);
    const float error = middle - std::round(function(at + half) * kInverse);
    add(sample - std::round(error / 2));
  }
  add(std::round(function(high) * kInverse));
  return table;
}

}  // namespace

std::optional<ir::Source> Rescaled(ir::Graph& graph, const ir::Node& like, ir::Source codes,
                                   const QuantParams& from, const QuantParams& to) {
  if (from.AgreesWith(to) && IsInside(from, to)) return codes;
  const auto by = MultiplierOf(from.scale / to.scale);
  if (!by) return std::nullopt;
  return NewRescale(graph, like, codes, from.zero, to, *by, *by);
}

ir::Source Limited(ir::Graph& graph, const ir::Node& like, ir::Source codes,
                   const QuantParams& to) {
  if (to.low == to.min() && to.high == to.max()) return codes;
  return NewRescale(graph, like, codes, to.zero, to, kUnity, kUnity);
}

bool QuantiseShortSoftmax(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                          const QuantParams& to) {
  const ir::Source x = node.inputs[0];
  const QuantParams* from = site.QuantParamsOf(x);
  const bool is_short = from != nullptr && from->is_short() && IsPower(to.scale, -15);
  if (!is_short || TypeOf(x).dims.back() > int64_t{kernels::kMaxSoftmaxShorts}) return false;
  const std::optional<Multiplier> by = MultiplierOf(from->scale / (10.0 / 65535.0));
  if (!by) return false;
  // Exponentials in double, rounded to floats, are equal on every host.
  constexpr float kExpStep = 10.0f / 65535, kStep = 1.0f / 65535;
  std::vector<int64_t> tables = InterpolationTable(kExpStep * -65535, kExpStep * 0, [](float v) {
    return static_cast<float>(std::exp(double{v}));
  });
  const std::vector<int64_t> inverses =
      InterpolationTable(kStep * 0, kStep * 65535, [](float v) { return 1 / (1 + v); });
  tables.insert(tables.end(), inverses.begin(), inverses.end());
  const ir::Source numbers =
      NewInts(site.graph(), node, {ElementType::i16, {std::ssize(tables)}}, tables);
  NodeAttributes attributes = {{ops::kMultiplier, AttributeOf(*by)}};
  WriteQuantParams(attributes, to);
  site.SetIntegers(quantiser, NewOperation(site.graph(), node, "QuantizedSoftmax", ops::kPassOnly,
                                           {site.Integers(x), numbers}, attributes));
  return true;
}

bool QuantiseShortFunction(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                           const QuantParams& to) {
  if (node.constant || node.inputs.empty()) return false;
  const QuantParams* from = site.QuantParamsOf(node.inputs[0]);
  const bool is_of_shorts = from != nullptr && from->is_short() && to.is_short();
  if (!is_of_shorts || TypeOf(node.inputs[0]).dims != quantiser.outputs[0].type.dims) return false;
  std::optional<ir::Source> made;
  if (IsCalled(node, "PRelu") && CountIn(node.inputs[1]) == 1) {
    made = LeakyRelu(site, node, *from, to);
  } else if (BoundsOf(node)) {
    const QuantParams bounded = Within(to, *BoundsOf(node), /*by_integers=*/true);
    made = Rescaled(site.graph(), node, site.Integers(node.inputs[0]), *from, bounded);
  } else if (IsCalled(node, "Sigmoid") || IsCalled(node, "Tanh")) {
    made = Gate(site, node, *from, to, IsCalled(node, "Tanh"));
  }
  if (!made) return false;
  site.SetIntegers(quantiser, *made);
  return true;
}

}  // namespace weft::graph
