// SPDX-License-Identifier: Apache-2.0
// Loops that continue from the second step, because copy 0 of the body differs:
//
//   h[0], y[0] = g(x[0]);   h[t], y[t] = f(x[t], h[t - 1]) for t = 1, 2, ...
//
// Exporters write filters, trackers and normalisers that start with their first sample in this
// form. Such a loop becomes a loop over all steps with one more state, a flag. In the iteration
// with a set flag, the body selects the result of g instead of f.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_PEEL_H_
#define WEFT_CONVERTER_GRAPH_REROLL_PEEL_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` must be inferred and folded, before and after the call.
void MergePeeledSteps(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_PEEL_H_
