// SPDX-License-Identifier: Apache-2.0
// Models that were quantised: where a FakeQuantize rounds to levels that i8 holds, the value
// becomes those integers (levels.h), and products, sums, means and functions between two of them
// become operations of integers (ops/quantised.h). Where values lie on no levels, or weights are no
// integers times a scale for each output, everything stays as it is.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_QUANTISE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_QUANTISE_H_

#include <functional>
#include <string>

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and the order of axes chosen. A layer that
// `keeps_floats` accepts, by its name, is left alone.
void Quantise(ir::Graph& graph, Folding& folding,
              const std::function<bool(const std::string& layer)>& keeps_floats);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_QUANTISE_H_
