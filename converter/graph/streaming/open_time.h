// SPDX-License-Identifier: Apache-2.0
// A time axis that is a dynamic dimension of inputs. The streaming model is valid for any number of
// steps; inference of the full model uses an assumed length.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_

#include <cstdint>
#include <optional>

#include "converter/graph/infer.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/streaming.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Lengths to try in order, for models that use from one to many thousands of positions per step.
// They have many divisors, for different rates, and are unlikely extents of other axes.
inline constexpr int64_t kOpenLengths[] = {84, 840, 5040, 161280, 1128960};
// The maximum for a model with constants over pairs of steps, such as attention masks.
inline constexpr int64_t kMaxPairedLength = 840;

// Returns the input axes that may be time: the dynamic axes that --time-axis names, or that are the
// only dynamic axis of their input. Sets their extents to `length`, or to the nearest value within
// their bounds.
TimeSeeds FillOpenAxes(ir::Graph& graph, const TimeNames& names, int64_t length);

// Returns true if a marked constant has two adjacent time axes.
bool HasPairsOfSteps(const ir::Graph& graph);

// Streams a graph with an assumed length so that the result does not depend on the length. `second`
// is the same model with another length; both are inferred and folded. Dataflow from the extents in
// which the two differ finds the values that depend on the length. Positions become functions of
// the step number (positions.h); other values are refused. The streamed graphs must be equal.
// Returns nullopt if faults were added; otherwise `graph` is inferred again. If an axis of the
// assumed length did not become time (AreTime), the result is not valid.
std::optional<Streamed> StreamOpenTime(ir::Graph& graph, ir::Graph& second,
                                       const StreamOptions& options, const InferOptions& infer,
                                       Folding& folding, Faults& faults);

// Returns true if all of them became time axes.
bool AreTime(const TimeSeeds& open, const Streamed& streamed);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_
