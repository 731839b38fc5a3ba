// SPDX-License-Identifier: Apache-2.0
// Permutes or repeats the elements of a constant.
#ifndef WEFT_CONVERTER_GRAPH_REARRANGED_H_
#define WEFT_CONVERTER_GRAPH_REARRANGED_H_

#include <cstdint>

#include "converter/ir/graph.h"

namespace weft::graph {

// Returns a tensor of `shape` with the elements that a traversal of `dims` by `strides` reads, from
// element `first` on. Strides are in elements of the constant. Its type must have a multiple of 8
// bits.
ir::Constant Rearranged(const ir::Constant& constant, const Dims& dims, const Dims& strides,
                        Dims shape, int64_t first = 0);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REARRANGED_H_
