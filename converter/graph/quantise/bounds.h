// SPDX-License-Identifier: Apache-2.0
// Clamps before a quantiser, which are merged into its range.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_BOUNDS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_BOUNDS_H_

#include <optional>

#include "converter/graph/quantise/quant_params.h"

namespace weft::graph {

struct ValueBounds {
  double low, high;
};
// The bounds of a node that only clamps its single input; nullopt for other nodes.
std::optional<ValueBounds> BoundsOf(const ir::Node& node);
// Restricts the range of `quant_params` to the bounds. Rounding is monotonic, so quantising with
// this range equals clamping first. `by_integers`: bounds are rounded as TFLite does, with halves
// away from zero.
QuantParams Within(QuantParams quant_params, const ValueBounds& bounds, bool by_integers);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_BOUNDS_H_
