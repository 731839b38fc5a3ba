// SPDX-License-Identifier: Apache-2.0
// A product begins at what is added to it where that is a row for each row of the product, which
// rounds otherwise than an addition behind it. Over a single step an addend may be such rows that
// over many is none: it varies with the batch and not with time. Both must round alike.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_

#include <cstdint>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Marks additions that would become the start of a product only for being cut to `steps`; before
// the graph is resized.
void KeepRounding(const ir::Graph& graph, const TimeAxes& times, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_
