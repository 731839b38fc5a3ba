// SPDX-License-Identifier: Apache-2.0
// Loops over time that an exporter has traced become loops again. A tracer runs the model's own
// loop once and writes down what it does: the body once per step of time, reading the places of an
// axis one after another, and all that the steps make joined at the end. Laid flat it is as many
// times larger and cannot be cut for streaming.
//
//   h1 = f(x[0], h0), h2 = f(x[1], h1), ...  ->  a TensorIterator over x with the state h
//
// A loop is made where at least 4 copies of one body follow one another, which pass on at least one
// state, and where it has less than half of their steps. Places may run backward; states may be
// older than one step; constants may differ from copy to copy; what the last copy does not need may
// be missing there. A first copy that a constant initial state has made simpler is taken in: sums
// with zeros and products with ones are spelled out again, which may turn a negative zero into a
// positive one. What the exporter has computed there from constants, such as a product of weights
// with an initial state, is computed again by this converter, and taken for the same within 1e-6 of
// each number.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_REROLL_H_
#define WEFT_CONVERTER_GRAPH_REROLL_REROLL_H_

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` is inferred and folded, and is so again afterwards. False when a fault was added.
bool Reroll(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_REROLL_H_
