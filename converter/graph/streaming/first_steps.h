// SPDX-License-Identifier: Apache-2.0
// Loops that go on from the second step, because their states begin as what the first one makes:
//
//   h[0], y[0] = g(x[0]);   h[t], y[t] = f(x[t], h[t - 1]) for t = 1, 2, ...
//
// Exporters write so what filters, trackers and normalisers do that begin with their first sample.
// Such a loop becomes one over all steps with one more state, a flag: in the iteration that finds
// it set, what its body makes of the step is g instead of f, chosen and not computed from both.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_FIRST_STEPS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_FIRST_STEPS_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` is inferred and folded, and is so again afterwards.
void TakeInFirstSteps(ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_FIRST_STEPS_H_
