// SPDX-License-Identifier: Apache-2.0
// Converts traced loops over time back to loops. A tracer runs the model's loop once and records
// it: the body once per time step, slices of an axis read one after another, and the results of all
// steps joined at the end. The unrolled graph is larger by the number of steps and cannot be
// converted to streaming.
//
//   h1 = f(x[0], h0), h2 = f(x[1], h1), ...  ->  a TensorIterator over x with the state h
//
// A loop is created for at least 4 consecutive copies of one body that pass on a state. The loop
// must have less than half of their steps. Slices may run backward; states may be older than one
// step; constants may differ between copies; values that the last copy does not need may be missing
// there.
//
// A first copy that a constant initial state has simplified is included: sums with zeros and
// products with ones are restored, which may change a negative zero to a positive one. Constants
// that the exporter computed there, such as a product of weights and an initial state, are computed
// again. They count as equal if each number is within a relative error of 1e-6.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_REROLL_H_
#define WEFT_CONVERTER_GRAPH_REROLL_REROLL_H_

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Also merges the first step into loops that lack it (peel.h). `graph` must be inferred and folded,
// and remains so. Returns false if an error was added.
bool Reroll(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_REROLL_H_
