// SPDX-License-Identifier: Apache-2.0
// Outputs of layers that become outputs of the model, behind its own, before any pass works with
// them: for a comparison layer by layer. What would be fused into the layer behind stays apart.
#ifndef WEFT_CONVERTER_GRAPH_LAYER_OUTPUTS_H_
#define WEFT_CONVERTER_GRAPH_LAYER_OUTPUTS_H_

#include <cstdint>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

struct LayerOutput {
  int64_t layer = -1;  // by the id of the IR
  uint32_t port = 0;   // of its outputs
};

// Those that the graph has, in the order given.
void AddLayerOutputs(ir::Graph& graph, const std::vector<LayerOutput>& outputs);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYER_OUTPUTS_H_
