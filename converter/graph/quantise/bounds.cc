// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/bounds.h"

#include <algorithm>
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

QuantParams Within(QuantParams quant_params, const ValueBounds& bounds) {
  const int low = CodeOf(static_cast<float>(bounds.low), quant_params);
  quant_params.high = CodeOf(static_cast<float>(bounds.high), quant_params);
  quant_params.low = low;
  return quant_params;
}

}  // namespace weft::graph
