// SPDX-License-Identifier: Apache-2.0
// A time axis that is a dynamic dimension of inputs. What is cut out of it holds for any number of
// steps; to be inferred, the whole takes some length.
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

// To be tried one after another, for models that take a place or many thousands in a step. They
// have many divisors, for rates, and are hardly the extent of another axis.
inline constexpr int64_t kOpenLengths[] = {84, 840, 5040, 161280, 1128960};
// The largest of them for a model with constants over pairs of steps, as attention masks are.
inline constexpr int64_t kMaxPairedLength = 840;

// Axes of inputs as read that may be time: the dynamic ones that --time-axis names or that are the
// only one of their input. From now on they are so long, or as near to it as their bounds allow.
TimeSeeds FillOpenAxes(ir::Graph& graph, const TimeNames& names, int64_t length);

// Returns true if a marked constant has two axes of time side by side.
bool HasPairsOfSteps(const ir::Graph& graph);

// Streams a graph whose length is assumed, so that no trace of the length is left. `twin` is the
// same model with another length; both are inferred and folded. Values that were computed from the
// length are found by dataflow from the extents in which the two differ: positions become functions
// of the number of their step (positions.h), other values are refused. What both are streamed to
// must be equal. Nullopt when faults were added; else `graph` is inferred again. Where an axis of
// the assumed length has not become time (AreTime), the result is of no use.
std::optional<Streamed> StreamOpenTime(ir::Graph& graph, ir::Graph& twin,
                                       const StreamOptions& options, const InferOptions& infer,
                                       Folding& folding, Faults& faults);

// Have all of them become time?
bool AreTime(const TimeSeeds& open, const Streamed& streamed);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_
