// SPDX-License-Identifier: Apache-2.0
// One past for all readers of the same positions: a ring as long as the longest look-back. Each
// reader reads its positions, and the last one writes the new positions. The sharing is determined
// before the graph is resized, so that the states are equal for any number of steps per run.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_PASTS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_PASTS_H_

#include <cstdint>
#include <vector>

#include "converter/graph/streaming/aligned_positions.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct SharedPast {
  struct Reader {
    ir::Node* node = nullptr;
    const Delay* delay = nullptr;  // over time
  };
  std::vector<Reader> readers;  // in topological order
  int64_t positions = 0;        // of the longest look-back
};

// Returns the past of each tensor that is looked back on. Readers with different initial values
// have separate pasts. `times` is spread over a graph that is not resized yet.
std::vector<SharedPast> PastsOf(const TimeAxes& times, const AlignedPositions& positions);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_PASTS_H_
