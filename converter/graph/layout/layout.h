// SPDX-License-Identifier: Apache-2.0
// Chooses the axis order in memory. In the OpenVINO specification the channels of a tensor precede
// its spatial axes; window steps are fastest if the channels of each pixel are adjacent. Where a
// layout group gains by it (layout_groups.h), its tensors become channels-last, [N, H, W, C]. All
// operations that read or write them are changed by the rule in their row (ops/permutation.h).
// Values that cross the border of a group are transposed there. Ports, variables and loop
// boundaries keep the order of the specification. Results are bit-identical.
#ifndef WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_H_
#define WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// Changes `graph` and its bodies; all types must be inferred and constants folded.
void ChooseLayouts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_H_
