// SPDX-License-Identifier: Apache-2.0
// Passes that find the trip counts of loops, and remove loops or parts of them.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_LOOP_PASSES_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_LOOP_PASSES_H_

#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Converts loops that maintain their own counter, such as while-loops of TensorFlow and Keras, to
// loops with a constant trip count over slices:
//   A body condition such as i + 1 < 25 that depends only on counters and constants becomes the
//     trip count (the iteration that yields false still counts). A condition that also depends
//     on data but is false at some iteration at the latest bounds the trip count and stays, also
//     in addition to a run-time trip count.
//   Gather or StridedSlice of element i of an input, with i = 0, 1, 2, ... or descending, becomes
//     a slice of that input.
//   ScatterUpdate of element i of a list that the loop does not read, Concat that joins a new
//     element i with the elements before and after it, and Concat that appends one part to an
//     initially empty list, become scan outputs;
//     of a list with one element the last value remains.
//   A carried counter 0, 1, 2, ... becomes the current iteration.
// Values that no longer have readers are removed, with their back edges and ports. Loops whose trip
// count cannot be determined stay unchanged.
//
// `graph` is as read, neither resolved nor inferred. Inner loops are processed first.
void RecogniseCounts(ir::Graph& graph);

// Unrolls loops: repeats the body once per iteration and replaces the iteration number by a
// constant, so that expressions of it fold. Unrolls loops of 2 to 32 iterations with a constant
// trip count if
//   the body indexes by a counter (Gather) or branches on one (If), iterations times operations
//     are at most 64, and no operation is a loop, cell, product or convolution: a section reads
//     their weights once for all iterations
//   the body computes a shape or bounds from a counter (Slice, Reshape, ...), which could not be
//     planned otherwise, and iterations times operations are at most 4096
// Other loops remain sections and need no copies of the body. Layers of iteration i are named
// "name[i]".
//
// `graph` is as read, after RecogniseCounts, neither resolved nor inferred. Inner loops are
// unrolled first.
void Flatten(ir::Graph& graph);

// Recognises trip counts that follow from shapes. The trip count of a while-loop over x.shape[1] is
// known only after inference, and inference needs the loop. So this pass infers a copy of the model
// as far as possible and propagates the known shapes and constants into the inputs of loops. Then
// it searches their trip counts again, one loop after another in topological order.
//
// Repeats RecogniseCounts on `graph` as long as it finds more. `graph` is as read, with the user's
// shapes. Values whose folding would exceed the limit stay unknown. Folded values are not kept.
void RecogniseCountsByShapes(ir::Graph& graph, const Folding& folding);

// Removes everything from a loop that no output depends on: Results, Parameters, back edges that
// only keep each other alive, unused inputs, and the nodes between them.
//
// `loop` has one body. All its outputs remain, and inputs 0 and 1 of a Loop.
void PruneLoop(ir::Node& loop);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_LOOP_PASSES_H_
