// SPDX-License-Identifier: Apache-2.0
// Stores the history of streamed layers (ops/ring.h) as int8 codes if its data is quantised.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_

#include <vector>

#include "converter/graph/quantise/quant_params.h"

namespace weft::graph {

// Returns true if `ring` keeps its past in a variable that only rings of the same data read. The
// initial value of the variable must be representable with these parameters, or be -infinity.
bool IsQuantisable(const ir::Graph& graph, const ir::Node& ring, const QuantParams& quant_params);
// Creates an integer ring for each ring that shares the past of `ring`. They take over all outputs
// except output 0, the windows.
struct RingPair {
  ir::Node *ring, *of_integers;
};
std::vector<RingPair> RingsOfIntegers(ir::Graph& graph, const ir::Node& ring, ir::Source integers,
                                      const QuantParams& quant_params);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_
