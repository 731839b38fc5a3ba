// SPDX-License-Identifier: Apache-2.0
// Time in the bodies of loops that walk another axis, over bands or layers, say, and of branches:
// it runs through the loop where every iteration works on each of its places apart, and what is
// carried does not mix them. Such a body is cut with the layer.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_BODIES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_BODIES_H_

#include <cstdint>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Does a body of the node read a variable?
bool HoldsVariables(const ir::Node& node);

// Axes of the inputs and outputs of a loop or branch, inferred, that its bodies keep apart.
std::vector<AxisGroup> AxesThroughBodies(ir::Node& node);

// Refuses what of the bodies is made of the number of steps, where time runs through the node.
void RefuseLengthsInBodies(const TimeAxes& times, ir::Node& node, const Folding& folding,
                           Faults& faults);

// The bodies of the node take as many places as `steps` have. Before the graph around it is
// resized.
void CutBodies(const TimeAxes& times, ir::Node& node, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_BODIES_H_
