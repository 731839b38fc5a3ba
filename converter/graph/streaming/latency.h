// SPDX-License-Identifier: Apache-2.0
// Models that look ahead: centred windows, windows without padding, shifts to the left, slices
// without the first steps. They can be streamed with latency: each tensor with time then has at
// position i the value that it had at i - latency. Windows are delayed by their look-ahead. Where
// branches meet, the earlier branches are delayed. Readers of positions before the first step read
// their own padding (late_masks.h), and time loops keep their states (late_loops.h). All tensors
// then have as many steps as the inputs, and operations that looked ahead look back.
//
// Over all steps, the first step of an output is delayed by `latency` steps. Its last steps are
// missing, because they need input steps after the end.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_

#include <cstdint>
#include <optional>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/rewrites.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Time starts at the seeds; without seeds, at time loops or windows. Returns the number of steps of
// the changed graph. Returns nullopt if latency does not help; the graph is of no further use. Adds
// faults if the model needs look-ahead but cannot be converted.
std::optional<int64_t> AddLookaheadLatency(const Rewritten& rewritten, const TimeSeeds& seeds,
                                           const Folding& folding, Faults& faults);

// Returns the latency of a Result in steps.
int64_t LatencyOf(const ir::Node& result);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_
