// SPDX-License-Identifier: Apache-2.0
// Run-time lengths: which axes of a node's outputs inherit one from its inputs. An
// operation that keeps the places of such an axis apart, as its axis rule says, passes it to its
// outputs; one that would mix what lies beyond the true length into its result is refused.
#ifndef WEFT_CONVERTER_GRAPH_EXTENT_H_
#define WEFT_CONVERTER_GRAPH_EXTENT_H_

#include "converter/ops/operation.h"

namespace weft::graph {

// To be called when the node's output types are known; adds a fault where the node cannot be run.
void PassExtentsOn(ops::InferScope& scope);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_EXTENT_H_
