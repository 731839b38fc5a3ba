// SPDX-License-Identifier: Apache-2.0
// The elements of a constant in another order, or repeated.
#ifndef WEFT_CONVERTER_GRAPH_REARRANGED_H_
#define WEFT_CONVERTER_GRAPH_REARRANGED_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// Those that a walk over `dims` meets at `strides`, in elements of the constant, as a tensor of
// `shape`. The constant is of whole bytes.
ir::Constant Rearranged(const ir::Constant& constant, const Dims& dims, const Dims& strides,
                        Dims shape);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REARRANGED_H_
