// SPDX-License-Identifier: Apache-2.0
// Time inside the bodies of branches and of loops over another axis, such as bands or layers. Time
// runs through a loop if its iterations process each position in time independently and carried
// values do not mix positions. Such bodies are converted together with the layer.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_BODIES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_BODIES_H_

#include <cstdint>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns true if a body of the node reads a variable.
bool HoldsVariables(const ir::Node& node);

// Returns the axes of the inputs and outputs of a loop or branch that its bodies process element by
// element. The node is inferred.
std::vector<AxisGroup> AxesThroughBodies(ir::Node& node);

// Refuses values in the bodies that depend on the number of steps, if time runs through the node.
void RefuseLengthsInBodies(const TimeAxes& times, ir::Node& node, const Folding& folding,
                           Faults& faults);

// Resizes the bodies of the node to `steps` steps. Call it before the graph around the node is
// resized.
void CutBodies(const TimeAxes& times, ir::Node& node, int64_t steps);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_BODIES_H_
