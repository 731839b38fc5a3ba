// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/multiplier.h"

#include <algorithm>
#include <cmath>

#include "converter/graph/recognise/nodes.h"

namespace weft::graph {

std::optional<kernels::Multiplier> MultiplierOf(double factor) {
  if (factor == 0) return kernels::Multiplier{};
  constexpr int64_t kOne = int64_t{1} << 31;
  int exponent = 0;
  auto mantissa = static_cast<int64_t>(std::round(std::frexp(factor, &exponent) * double{kOne}));
  if (mantissa == kOne) mantissa /= 2, ++exponent;
  if (exponent < -31) return kernels::Multiplier{};
  const kernels::Multiplier multiplier = {static_cast<int32_t>(mantissa), exponent};
  if (!kernels::IsMultiplier(multiplier.mantissa, exponent)) return std::nullopt;
  return multiplier;
}

std::optional<SlopeMultipliers> SlopeMultipliersOf(const ir::Node& node, const QuantParams& from,
                                                   const QuantParams& to) {
  const std::optional<double> slope = NumberIn(node.inputs[1]);
  if (!slope) return std::nullopt;
  const double factor = from.scale * *slope / to.scale;
  const auto above = MultiplierOf(from.scale / to.scale);
  auto below = MultiplierOf(std::fabs(factor));
  if (!above || !below) return std::nullopt;
  if (factor < 0) below->mantissa = -below->mantissa;
  return SlopeMultipliers{*above, *below};
}

int CodeOfInteger(int32_t v, const QuantParams& to) {
  return static_cast<int>(std::clamp<int64_t>(int64_t{v} + to.zero, to.low, to.high));
}

std::optional<std::vector<int64_t>> RequantisedTable(const QuantParams& from,
                                                     const QuantParams& to) {
  const std::optional<kernels::Multiplier> multiplier = MultiplierOf(from.scale / to.scale);
  if (!multiplier) return std::nullopt;
  std::vector<int64_t> table;
  for (int code = kMinByte; code <= kMaxByte; ++code) {
    table.push_back(CodeOfInteger(kernels::Rescaled(code - from.zero, *multiplier), to));
  }
  return table;
}

}  // namespace weft::graph
