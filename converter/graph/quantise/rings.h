// SPDX-License-Identifier: Apache-2.0
// Stores the history of streamed layers (ops/ring.h) as int8 codes if its data is quantised.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_

#include <functional>
#include <optional>
#include <vector>

#include "converter/graph/quantise/quant_params.h"

namespace weft::graph {

// Returns true if `ring` keeps its past in a variable that only rings of the same data read. The
// initial value of the variable must be one number that is representable with these parameters or
// -infinity, or a computed value for which `has_codes` returns true.
bool IsQuantisable(const ir::Graph& graph, const ir::Node& ring, const QuantParams& quant_params,
                   const std::function<bool(const ir::Source&)>& has_codes = nullptr);
// Returns the computed initial value of the variable; nullopt if it is one number.
std::optional<ir::Source> ComputedFirst(const ir::Node& ring);
// Creates an integer ring for each ring that shares the past of `ring`. They take over all outputs
// except output 0, the windows. `integers_of` returns the codes of the data of a ring, `first`
// those of ComputedFirst, if there is one.
struct RingPair {
  ir::Node *ring, *of_integers;
};
std::vector<RingPair> RingsOfIntegers(
    ir::Graph& graph, const ir::Node& ring,
    const std::function<ir::Source(const ir::Source&)>& integers_of,
    std::optional<ir::Source> first, const QuantParams& quant_params);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_
