// SPDX-License-Identifier: Apache-2.0
// Models that store their own past: a cache is an input, is concatenated before the new steps, and
// its last steps are an output. They do not need --streaming.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_CACHES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_CACHES_H_

#include <string>

#include "converter/ir/graph.h"

namespace weft::graph {

// Returns a message with the options that convert such a model without --streaming; empty if the
// model has no cache.
std::string AdviceForCaches(const ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_CACHES_H_
