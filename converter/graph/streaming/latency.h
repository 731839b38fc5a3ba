// SPDX-License-Identifier: Apache-2.0
// Models that look ahead: windows around a place, windows without padding, which leave out the
// first places, shifts to the left, slices that take off the beginning. They can be cut when what
// looks ahead comes later instead: the graph is changed so that each tensor in time has at place i
// what it had at i - latency. Windows wait for what they look ahead at; where branches meet, the
// early ones are delayed; what reads places before the beginning finds its own padding there
// (late_masks.h), and walks wait (late_walks.h). All tensors then have as many steps as the inputs,
// and what was an operation that looks ahead is one that looks back.
//
// Over all steps, an output has its first places `latency` steps late, and lacks its last ones, to
// which steps behind the end would belong.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_

#include <cstdint>
#include <optional>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Time begins at the seeds; without any, where walks or windows say so. The steps that the graph
// has then; nullopt where it cannot be done, and the graph is of no further use. A fault says why
// where the way is known and too far.
std::optional<int64_t> WaitForWhatIsAhead(ir::Graph& graph, const TimeSeeds& seeds,
                                          const Folding& folding, Faults& faults);

// Of a Result, the steps that it comes late.
int64_t LatencyOf(const ir::Node& result);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LATENCY_H_
