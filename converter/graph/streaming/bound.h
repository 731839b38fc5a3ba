// SPDX-License-Identifier: Apache-2.0
// How far back the outputs of a model look, and the least that it must keep for it between runs.
// Both are read off the whole graph, so that they do not depend on how it is cut, nor on the number
// of steps of a run.
//
// The bound is the least state of any cut in which no step repeats arithmetic of an earlier one:
//
//   of each tensor that windows or shifts look back in: the places of the longest look, times the
//   bytes of a place. A look is counted where its numbers are fewest: reshapes, repetitions and
//   changes of the element type on the way to the window are no arithmetic, and what they are
//   made of is counted in their place. A tensor that several look back in counts once, and so do
//   those that hold the same places (same_places.h).
//
//   all other states as they are: what walks carry, running sums, numbers of steps, variables of
//   the model (Streamed::states that are no past).
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_BOUND_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_BOUND_H_

#include <cstdint>
#include <optional>

#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/same_places.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Bytes of the first part of the bound. `times` is spread over a graph that is not cut yet.
int64_t LeastPastBytes(const TimeAxes& times, const SamePlaces& places);

// How many steps of the inputs an output depends on, its own among them; nullopt where it depends
// on all so far: behind walks, running sums, and what combines steps in a way of its own.
std::optional<int64_t> ReceptiveSteps(const ir::Graph& graph, const TimeAxes& times,
                                      const std::vector<CausalAttention>& attentions);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_BOUND_H_
