// SPDX-License-Identifier: Apache-2.0
// Values concatenated before a tensor that are no border of one number. They are steps before the
// first one (an input or learned), or values that the first steps compute in a different way.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STARTS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STARTS_H_

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Handles tensors from which the same number of last elements is removed, along time. Each
// concatenated value becomes a shift by one position with a selected first position. shifts.h has
// converted constant borders before. Returns true if the graph was changed: the axes must be spread
// again.
bool StartsToShifts(ir::Graph& graph, const TimeAxes& times);

// Handles values computed from later positions, such as differences to the previous position: these
// get a border, in which the first values are selected.
void StartsToChoices(ir::Graph& graph, const TimeSeeds& seeds);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STARTS_H_
