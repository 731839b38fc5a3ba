// SPDX-License-Identifier: Apache-2.0
// Converts a model to streaming: operations that iterate over T steps in one run process N steps in
// each run, and carried values become variables. After a reset, T / N runs of N steps are
// bit-identical to one run of T steps. Inputs, outputs and all tensors between them keep N steps of
// the time axis; a tensor without time axis stays unchanged.
//
// An initial state becomes the initial value of the variable. An initial state that the model
// computes or reads from an input is read only in the first run after a reset. An output that is
// the last state becomes the state after the steps so far.
//
// Refuses, in one call, all operations that need later steps: reverse and bidirectional sequences,
// backward slices, sums over time, concatenations along time and similar. Also refuses operations
// that need the number of the current step or of all steps.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_STREAMING_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_STREAMING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "converter/base/faults.h"
#include "converter/base/pass_parts.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/streamed.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct StreamOptions {
  int64_t steps = 1;    // per run; in [1, T], need not divide T
  TimeNames time_axes;  // time runs along these axes; if empty, they are searched
  // The graph has T steps (open_time.h): values computed from T, except step numbers, are refused.
  bool is_open = false;
  PartObserver<ir::Graph> observe = {};  // called after each rewrite (rewrites.h), unless empty
};

// `graph` must be inferred and folded; the caller must infer it again afterwards. Returns nullopt
// if faults were added, and a result without ports if an input axis of T steps is not time. The
// graph may then be of no further use.
std::optional<Streamed> Stream(ir::Graph& graph, const StreamOptions& options,
                               const Folding& folding, Faults& faults);
// The same for a graph of T steps.
inline std::optional<Streamed> Stream(ir::Graph& graph, int64_t steps, const Folding& folding,
                                      Faults& faults, const TimeNames& time_axes = {}) {
  return Stream(graph, StreamOptions{steps, time_axes}, folding, faults);
}

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_STREAMING_H_
