// SPDX-License-Identifier: Apache-2.0
// The lists of a while-loop. An element that is read at index i becomes a slice, a list that is
// written at index i a scan output, a counter that says i the current iteration: see
// recognise_count.h. All three return whether they changed something; the graph may then hold
// Parameters and Results without a use.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LIST_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LIST_H_

#include <cstdint>

#include "converter/ir/graph.h"

namespace weft::graph {

// How often a loop runs, once it runs at all.
struct Count {
  int64_t trips = 0;
  bool exact = true;  // else data may end it earlier
};

// `loop` is a Loop of at most `trips` iterations.
bool RecogniseSlices(ir::Node& loop, int64_t trips);
bool RecogniseLists(ir::Node& loop, const Count& count);
bool RecogniseCounters(ir::Node& loop, int64_t trips);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LIST_H_
