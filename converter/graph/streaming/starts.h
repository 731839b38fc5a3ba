// SPDX-License-Identifier: Apache-2.0
// Places joined in front of a tensor, where they are no border of one number: the steps before the
// first, as an input or as learned, or the first ones themselves, of which something else is made
// than of all others.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STARTS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STARTS_H_

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Where the tensor gives up as many places of its end: each is a shift by one place whose first
// place is chosen. Along time; what shifts.h makes borders of is such already. The axes must be
// spread anew behind it.
void StartsToShifts(ir::Graph& graph, const TimeAxes& times);

// Likewise of what is made of later places, as a difference to the place before is: these places
// get a border, in which the first ones are chosen.
void StartsToChoices(ir::Graph& graph, const TimeSeeds& seeds);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STARTS_H_
