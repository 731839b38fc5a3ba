// SPDX-License-Identifier: Apache-2.0
// Computes how far back the outputs of a model depend on its inputs, and the minimum state for
// this. Both are derived from the full graph, so they depend neither on the conversion nor on the
// number of steps per run.
//
// The bound is the minimum state of any streaming model in which no step repeats arithmetic of an
// earlier one. It is the sum of two parts:
//
//   For each tensor that windows or shifts look back on: the positions of the longest look-back,
//   times the bytes of a position. A look-back counts where the data is smallest: reshapes,
//   repetitions and type conversions before the window are no arithmetic, so their input counts
//   instead of their output. A tensor with several readers counts once, and so do tensors with the
//   same positions (aligned_positions.h).
//
//   All other states: carried values of time loops, running sums, step counters, variables of the
//   model (the Streamed::states that are no past).
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_BOUND_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_BOUND_H_

#include <cstdint>
#include <optional>

#include "converter/graph/streaming/aligned_positions.h"
#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns the bytes of the first part of the bound. `times` is spread over a graph that is not
// resized yet.
int64_t MinPastBytes(const TimeAxes& times, const AlignedPositions& positions);

// Returns the number of input steps that an output depends on, including its own step. Returns
// nullopt if it depends on all steps so far: after time loops, running sums, and other combinations
// of steps.
std::optional<int64_t> ReceptiveSteps(const ir::Graph& graph, const TimeAxes& times,
                                      const std::vector<CausalAttention>& attentions);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_BOUND_H_
