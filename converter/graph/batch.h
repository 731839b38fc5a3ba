// SPDX-License-Identifier: Apache-2.0
// A dynamic batch: the first axis of an input, where no other axis but time is dynamic. Exporters
// of Keras and TensorFlow Lite models write it for every input.
#ifndef WEFT_CONVERTER_GRAPH_BATCH_H_
#define WEFT_CONVERTER_GRAPH_BATCH_H_

#include "converter/base/faults.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct BatchOptions {
  bool streams = false;  // one more axis of an input may be dynamic, which is time then
  // The first axis is no time either where it is the only dynamic one.
  bool assumes_only_axis = true;
  TimeNames time_axes = {};  // are no batch
};

// Sets each dynamic batch to 1, or to the least that its bounds allow, and warns about it. Inputs
// of rank 1 follow others: their only axis is a batch where another input has one. Returns false if
// an input has a batch that `assumes_only_axis` would have set.
bool AssumeBatches(ir::Graph& graph, const BatchOptions& options, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_BATCH_H_
