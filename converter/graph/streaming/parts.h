// SPDX-License-Identifier: Apache-2.0
// The small parts of the conversion to streaming (streaming.h), in the order in which they run.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_PARTS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_PARTS_H_

#include <optional>
#include <string>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/graph/streaming/time_map.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Models that store their own past: a cache is an input, is concatenated before the new steps, and
// its last steps are an output. They do not need --streaming.
//
// Returns a message with the options that convert such a model without --streaming; empty if the
// model has no cache.
std::string AdviceForCaches(const ir::Graph& graph);

// Inlines branches whose condition is constant, so that time is propagated through the selected
// body like through other nodes.
//
// `graph` and the types of its inputs are inferred.
void TakeKnownBranches(ir::Graph& graph);

// Values concatenated before a tensor that are no border of one number. They are steps before the
// first one (an input or learned), or values that the first steps compute in a different way.
//
// Handles tensors from which the same number of last elements is removed, along time. Each
// concatenated value becomes a shift by one position with a selected first position. shifts.h has
// converted constant borders before. Returns true if the graph was changed: the axes must be spread
// again.
bool StartsToShifts(ir::Graph& graph, const TimeAxes& times);

// Handles values computed from later positions, such as differences to the previous position: these
// get a border, in which the first values are selected. Takes MapAhead of the graph, and returns
// that of the changed graph.
std::optional<TimeMap> StartsToChoices(const Rewritten& rewritten, const TimeSeeds& seeds,
                                       TimeMap map);

// Describes the ports of a streaming model and their time axes.
//
// Sets the ports, in their order. `graph` has its final shapes, `streamed` the numbers of steps.
void DescribePorts(const ir::Graph& graph, const TimeAxes& times, Streamed& streamed);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_PARTS_H_
