// SPDX-License-Identifier: Apache-2.0
// Streams models that look ahead (latency.h): delays the tensors of a graph, so that operations
// that looked ahead look back. Readers of positions before the first step read their own padding
// (late_masks.h), and time loops keep their states. All tensors then have as many
// steps as the inputs.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_DELAY_GRAPH_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_DELAY_GRAPH_H_

#include <cstdint>
#include <optional>
#include <set>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/rewrites.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct DelayedGraph {
  int64_t steps = 0;                  // 0 if no tensor is delayed
  std::set<const ir::Node*> lengths;  // constants that depend on a length of before (lengths.h)
};

// Time starts at the seeds; without seeds, at time loops or windows. Returns nullopt if MapAhead
// does not map the graph, which then does not change, or if faults were added for operations that
// cannot be delayed.
std::optional<DelayedGraph> AddLookaheadLatency(const Rewritten& rewritten, const TimeSeeds& seeds,
                                                const Folding& folding, Faults& faults);

// Returns the latency of a Result in steps.
int64_t LatencyOf(const ir::Node& result);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_DELAY_GRAPH_H_
