// SPDX-License-Identifier: Apache-2.0
// Models that keep their past themselves: a cache enters at an input, is joined in front of the new
// steps, and leaves with the last of them at an output. They need no streaming.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_CACHES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_CACHES_H_

#include <string>

#include "converter/ir/graph.h"

namespace weft::graph {

// A line that says so and names the options that convert such a model as it is; empty where the
// model has no cache.
std::string AdviceForCaches(const ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_CACHES_H_
