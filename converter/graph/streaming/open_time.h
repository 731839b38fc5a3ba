// SPDX-License-Identifier: Apache-2.0
// A time axis that is a dynamic dimension of inputs: T steps (ir/time_length.h). The streaming
// model is valid for any number of steps.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_

#include <memory>
#include <optional>

#include "converter/graph/infer.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/streaming.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Sets the input axes that may be time to T steps, and returns them: the dynamic axes that
// --time-axis names, or that are the only dynamic axis of their input.
TimeSeeds FillOpenAxes(ir::Graph& graph, const TimeNames& names);

// Replaces constants of a graph before inference by the layers that compute them: trip counts of
// loops that followed from shapes (recognise/loops/loop_passes.h) are functions of T.
void UnfoldTripCounts(ir::Graph& graph);

// Returns a copy of a graph before inference in which these axes are dynamic again.
std::unique_ptr<ir::Graph> WithDynamicAxes(const ir::Graph& graph, const TimeSeeds& open);

// Streams a graph of T steps, which is inferred and folded. Positions become functions of the step
// number (positions.h); other values that depend on T are refused. Returns nullopt if faults were
// added, and a result without ports if an axis of T steps is not time; otherwise `graph` is
// inferred again.
std::optional<Streamed> StreamOpenTime(ir::Graph& graph, const StreamOptions& options,
                                       const InferOptions& infer, Folding& folding, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_
