// SPDX-License-Identifier: Apache-2.0
// Finds constants that the converter computed from the number of steps, such as the length of a
// tensor along time: recomputes them for one more step.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LENGTHS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LENGTHS_H_

#include <set>

#include "converter/graph/fold.h"
#include "converter/graph/origins.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns the constants read by nodes of `times` that change with the number of steps. For a
// constant that repeats one step along time, only that step is compared.
std::set<const ir::Node*> ConstantsOfLength(const ir::Graph& graph, const TimeAxes& times,
                                            const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LENGTHS_H_
