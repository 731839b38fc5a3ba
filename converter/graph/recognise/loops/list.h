// SPDX-License-Identifier: Apache-2.0
// Recognises the lists of a while-loop. A read of element i becomes a slice, and a list written at
// index i becomes a scan output. A counter equal to i becomes the current iteration; see
// loop_passes.h. All three functions return true if they changed the loop. The graph may then
// contain unused Parameters and Results.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_LIST_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_LIST_H_

#include <cstdint>

#include "converter/ir/graph.h"

namespace weft::graph {

// The trip count of a loop that runs at least once.
struct Count {
  int64_t trips = 0;
  bool exact = true;  // false: data may end the loop earlier
};

// `loop` is a Loop of at most `trips` iterations.
bool RecogniseSlices(ir::Node& loop, int64_t trips);
bool RecogniseLists(ir::Node& loop, const Count& count);
bool RecogniseCounters(ir::Node& loop, int64_t trips);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_LIST_H_
