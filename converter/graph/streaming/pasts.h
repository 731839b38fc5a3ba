// SPDX-License-Identifier: Apache-2.0
// One past for all that look back on the same places: a ring as long as the longest look, of which
// each reader takes what it meets and the last one writes the new places. Which they are is said of
// the graph before it is cut, so that the states are the same for any number of steps a run.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_PASTS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_PASTS_H_

#include <cstdint>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/same_places.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct SharedPast {
  struct Reader {
    ir::Node* node = nullptr;
    const Delay* delay = nullptr;  // over time
  };
  std::vector<Reader> readers;  // producers first
  int64_t places = 0;           // of the longest look
};

// Those that begin otherwise than others on the same places have a past of their own. `times` is
// spread over a graph that is not cut yet.
std::vector<SharedPast> PastsOf(const TimeAxes& times, const SamePlaces& places);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_PASTS_H_
