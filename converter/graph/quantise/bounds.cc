// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {

std::optional<ValueBounds> BoundsOf(const ir::Node& node) {
  if (IsCalled(node, "Relu")) return ValueBounds{0, std::numeric_limits<double>::infinity()};
  if (!IsCalled(node, "Clamp")) return std::nullopt;
  const auto number = [&](const char* key) {
    return std::strtod(node.attributes.at(key).c_str(), nullptr);
  };
  return ValueBounds{number("min"), number("max")};
}

QuantParams Within(QuantParams quant_params, const ValueBounds& bounds, bool by_integers) {
  const auto code = [&](double bound) {
    const auto number = static_cast<float>(bound);
    if (!by_integers) return CodeOf(number, quant_params);
    const float rounded = std::round(number / static_cast<float>(quant_params.scale));
    const auto low = static_cast<float>(quant_params.low - quant_params.zero);
    const auto high = static_cast<float>(quant_params.high - quant_params.zero);
    return static_cast<int>(std::clamp(rounded, low, high)) + quant_params.zero;
  };
  const int low = code(bounds.low);
  quant_params.high = code(bounds.high);
  quant_params.low = low;
  return quant_params;
}

}  // namespace weft::graph
