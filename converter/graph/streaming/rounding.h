// SPDX-License-Identifier: Apache-2.0
// A product starts from a constant per output that is added to it, and in a body of a loop from
// computed rows, too. That rounds differently from an addition after the product. Over a single
// step an addend may have the dims of such a start that it has not over several. Both must round
// alike.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_

#include <cstdint>
#include <optional>
#include <set>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Marks additions that would become the start of a product only for being cut to `steps`; before
// the graph is resized. `is_body`: the graph is a body of another one.
void KeepRounding(const ir::Graph& graph, const TimeAxes& times, int64_t steps,
                  bool is_body = false);

// An attribute of what stands, without a step, where a border or a slice has moved what is there:
// what is added behind it was no addition to what stands before it.
inline constexpr const char* kMoved = "moved";

// Additions at which a product begins. What stood between a product and an addition may be gone
// after a pass: KeepStarts marks those that would be such only for that. False where one of
// `started` is none any more.
std::set<const ir::Node*> StartedProducts(const ir::Graph& graph);
bool KeepStarts(const ir::Graph& graph, const std::set<const ir::Node*>& started);

// An axis that a node sums over and that would lie side by side, for its sums to run in another
// order, were the time axis inside of it cut to a single place. Before the graph is resized.
std::optional<int64_t> AxisOutOfOrder(const TimeAxes& times, const ir::Node& node, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_ROUNDING_H_
