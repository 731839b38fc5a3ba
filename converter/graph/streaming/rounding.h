// SPDX-License-Identifier: Apache-2.0
// A product starts from a constant per output that is added to it; in a loop body also from
// computed rows. This rounds differently from an addition after the product. Over a single step an
// addend may have the dims of such a start, although it does not over several steps. Results must
// be bit-identical in both cases.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_

#include <cstdint>
#include <optional>
#include <set>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Marks additions that would become the start of a product only because the graph is resized to
// `steps`. Call it before the graph is resized. `is_body`: the graph is a body of another one.
void KeepRounding(const ir::Graph& graph, const TimeAxes& times, int64_t steps,
                  bool is_body = false);

// Returns the additions at which a product starts. A pass may remove nodes between a product and an
// addition: KeepStarts marks additions that would start a product only because of this. It returns
// an addition in `started` that no longer starts a product; null if there is none.
std::set<const ir::Node*> StartedProducts(const ir::Graph& graph);
const ir::Node* KeepStarts(const ir::Graph& graph, const std::set<const ir::Node*>& started);

// Returns an axis over which the node sums, if its order of additions would change. Such an axis
// would become contiguous if the time axis inside it had extent 1. Call it before the graph is
// resized.
std::optional<int64_t> AxisOutOfOrder(const TimeAxes& times, const ir::Node& node, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_
