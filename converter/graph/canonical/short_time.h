// SPDX-License-Identifier: Apache-2.0
// Splits STFT and ISTFT into the parts of ops/core/short_time.h, whose frames are windows along one
// axis, like those of a convolution. Streaming then treats them like windows. Results are
// bit-identical, but an ISTFT needs additional copies.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_SHORT_TIME_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_SHORT_TIME_H_

#include "converter/ir/graph.h"

namespace weft::graph {

void SplitShortTime(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_SHORT_TIME_H_
