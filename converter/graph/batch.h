// SPDX-License-Identifier: Apache-2.0
// A dynamic batch is the first axis of an input if no other axis except time is dynamic. Exporters
// of Keras and TensorFlow Lite models write it for every input.
#ifndef WEFT_CONVERTER_GRAPH_BATCH_H_
#define WEFT_CONVERTER_GRAPH_BATCH_H_

#include "converter/base/faults.h"
#include "converter/graph/port_names.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct BatchOptions {
  bool streams = false;  // one more axis of an input may be dynamic; that axis is time
  // Treat the first axis as a batch even if it is the only dynamic axis of the input.
  bool assumes_only_axis = true;
  TimeNames time_axes = {};  // axes named as time; they are no batch
};

// Sets each dynamic batch to 1, or to the minimum that its bounds allow, and warns about it. The
// only axis of a rank 1 input is a batch if another input has a batch. Returns false if an input
// has a batch that only `assumes_only_axis` would have set.
bool AssumeBatches(ir::Graph& graph, const BatchOptions& options, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_BATCH_H_
