// SPDX-License-Identifier: Apache-2.0
// Cuts time out of a model: what walks T steps of a time axis in one run walks N in each run, and
// whatever a walk carries from step to step is a variable. From a reset on, T / N runs of N steps
// give the bits of one run of T steps. Inputs, outputs and all between them keep N steps of the
// time axis; a tensor without that axis stays as it is.
//
// An initial state becomes the variable's initial value. One that the model computes or takes as an
// input is read in the first run after a reset, and never again. An output that is the last
// state is the state after the steps so far.
//
// Refuses, all in one call, every operation that needs steps it has not seen yet: reverse and
// bidirectional sequences, backward slices, sums over time, joins along time and their kin; and
// every one that must know which step it is in, or how many there are.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STREAMING_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STREAMING_H_

#include <cstdint>
#include <optional>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct StreamOptions {
  int64_t steps = 1;    // of a run; need not divide T, but lies in [1, T]
  TimeNames time_axes;  // time runs along these axes; if empty, where it is found
  // T is a number that the converter assumes (open_time.h): a table of T rows, a number that counts
  // T steps and anything else that was computed from T is refused.
  bool is_open = false;
};

// `graph` is inferred and folded; it must be inferred again afterwards. Nullopt when faults were
// added; the graph may then be of no further use.
std::optional<Streamed> Stream(ir::Graph& graph, const StreamOptions& options,
                               const Folding& folding, Faults& faults);
// The same, of a graph of T steps.
inline std::optional<Streamed> Stream(ir::Graph& graph, int64_t steps, const Folding& folding,
                                      Faults& faults, const TimeNames& time_axes = {}) {
  return Stream(graph, StreamOptions{steps, time_axes}, folding, faults);
}

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STREAMING_H_
