// SPDX-License-Identifier: Apache-2.0
// Widens a model with batch 1 to several independent streams (--streams), before shapes are
// inferred. The first axis of each input becomes the streams, and so do initial states and targets
// of reshapes that are constants with batch 1. Inference reports what does not fit, and
// emit/stream_parts.h compares the results with those of the model with one stream.
#ifndef WEFT_CONVERTER_GRAPH_WIDEN_BATCH_H_
#define WEFT_CONVERTER_GRAPH_WIDEN_BATCH_H_

#include <cstdint>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Adds a fault for an input without a first axis of extent 1.
void WidenBatch(ir::Graph& graph, int64_t streams, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_WIDEN_BATCH_H_
