// SPDX-License-Identifier: Apache-2.0
// Bounds in front of a quantiser, which its levels keep instead.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_BOUNDS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_BOUNDS_H_

#include <optional>

#include "converter/graph/quantise/levels.h"

namespace weft::graph {

struct ValueBounds {
  double low, high;
};
// Those that the node keeps its one input to, where that is all it does.
std::optional<ValueBounds> BoundsOf(const ir::Node& node);
// Rounding keeps the order of numbers, so that levels within these bounds are the levels of bounded
// numbers.
Levels Within(Levels levels, const ValueBounds& bounds);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_BOUNDS_H_
