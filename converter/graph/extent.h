// SPDX-License-Identifier: Apache-2.0
// Propagates run-time lengths from the inputs of a node to its outputs. An operation that processes
// the elements along such an axis independently, according to its axis rule, passes the length to
// its outputs. An operation that would mix elements beyond the true length into its result is
// refused.
#ifndef WEFT_CONVERTER_GRAPH_EXTENT_H_
#define WEFT_CONVERTER_GRAPH_EXTENT_H_

#include "converter/ops/operation.h"

namespace weft::graph {

// Requires the output types of the node. Adds a fault if the node cannot run with these lengths.
void PassExtentsOn(ops::InferScope& scope);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_EXTENT_H_
