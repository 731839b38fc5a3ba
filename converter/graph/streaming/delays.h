// SPDX-License-Identifier: Apache-2.0
// Convolutions that look back along time but not ahead (ops/look_back.h). Cut, they read their past
// from a variable, which begins as zeros. A convolution skips its padding and multiplies a
// variable's zeros: one bit, the sign of a zero, may differ where a product of the first steps is
// too small to be distinguished from zero.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_

#include <cstdint>
#include <string>

#include "converter/ir/graph.h"

namespace weft::graph {

// Lets convolutions do the padding themselves where a Pad of zeros stands before one of them alone
// and the two together look back.
void JoinPads(ir::Graph& graph);

// Puts `past` places from variable `name` before input 0, which has its final extents.
void ReadPast(ir::Graph& graph, ir::Node& convolution, int64_t axis, int64_t past,
              const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
