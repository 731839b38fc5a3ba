// SPDX-License-Identifier: Apache-2.0
// Loops that count for themselves, as while-loops of TensorFlow and Keras do, become loops of a
// constant trip count over slices:
//   a body condition such as i + 1 < 25, of counters and constants alone, becomes the trip count
//     (the iteration that yields false still counts); one that is false at some iteration at the
//     latest bounds it, and stays; so it does beside a run-time trip count
//   Gather or StridedSlice of element i of an input, where i is 0, 1, 2, ... or backwards, becomes
//   a
//     slice of that input
//   ScatterUpdate of element i of a list that is not read meanwhile, and Concat of a list that
//     begins empty with one part more, become scan outputs;
//     of a list of one place the last element remains
//   a carried counter 0, 1, 2, ... becomes the current iteration
// What then has no reader is removed, with its back edges and ports. Loops whose count cannot be
// told are left as they are.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_COUNT_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_COUNT_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` as read: neither resolved nor inferred. Inner loops first.
void RecogniseCounts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_COUNT_H_
