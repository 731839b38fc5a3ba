// SPDX-License-Identifier: Apache-2.0
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
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_COUNT_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_COUNT_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` is as read, neither resolved nor inferred. Inner loops are processed first.
void RecogniseCounts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_COUNT_H_
