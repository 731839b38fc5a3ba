// SPDX-License-Identifier: Apache-2.0
// Widens a model with batch 1 to several independent streams (--streams). The first axis of each
// input becomes the streams, and so does the batch of constants that an operation requires to have
// it: states, lengths of sequences, targets of reshapes and broadcasts, bounds of slices. Constants
// that were computed from shapes are computed again. emit/stream_parts.h compares the results with
// those of the model with one stream.
#ifndef WEFT_CONVERTER_GRAPH_WIDEN_BATCH_H_
#define WEFT_CONVERTER_GRAPH_WIDEN_BATCH_H_

#include <cstdint>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The graph is inferred, and is inferred again. Returns false if faults were added: for an input
// without a first axis of extent 1, and for layers that mix the batch or have no rule to widen it.
bool WidenBatch(ir::Graph& graph, int64_t streams, const InferOptions& options, Folding& folding,
                Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_WIDEN_BATCH_H_
