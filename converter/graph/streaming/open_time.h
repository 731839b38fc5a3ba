// SPDX-License-Identifier: Apache-2.0
// A time axis that is a dynamic dimension of inputs. What is cut out of it holds for any number of
// steps; to be inferred, the whole takes some length.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_

#include <cstdint>

#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// To be tried one after another, for models that take a place or many thousands in a step. They
// have many divisors, for rates, and are hardly the extent of another axis.
inline constexpr int64_t kOpenLengths[] = {84, 5040, 161280, 1128960};

// Axes of inputs as read that may be time: the dynamic ones that --time-axis names or that are the
// only one of their input. From now on they are so long, or as near to it as their bounds allow.
TimeSeeds FillOpenAxes(ir::Graph& graph, const TimeNames& names, int64_t length);

// Have all of them become time?
bool AreTime(const TimeSeeds& open, const Streamed& streamed);

// What the lengths were tried with is no property of the model.
void ForgetLengths(Streamed& streamed);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_OPEN_TIME_H_
