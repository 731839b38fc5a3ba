// SPDX-License-Identifier: Apache-2.0
// Loops that continue from the second step, because copy 0 of the body is outside:
//
//   h[0], y[0] = g(x[0]);   h[t], y[t] = f(x[t], h[t - 1]) for t = 1, 2, ...
//
// Exporters write filters, trackers and normalisers that start with their first sample in this
// form, and tracers peel the first iteration. Such a loop becomes a loop over all steps. If g is
// not f of some initial state, the loop gets one more state, a flag: in the iteration with a set
// flag, the body selects the result of g instead of f.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_PEEL_H_
#define WEFT_CONVERTER_GRAPH_REROLL_PEEL_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

enum class Peeled {
  kCopies,  // only loops whose g is f of an initial state; bit-identical, with fewer operations
  kAll,     // for streaming, where the first step exists only in the first run
};
// `graph` must be inferred and folded, before and after the call.
void MergePeeledSteps(ir::Graph& graph, Peeled which, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_PEEL_H_
