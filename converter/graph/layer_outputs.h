// SPDX-License-Identifier: Apache-2.0
// Adds outputs of layers to the model's outputs, after the existing ones and before any other pass,
// for a layer-by-layer comparison. Such a layer is not fused into the layer that follows it.
#ifndef WEFT_CONVERTER_GRAPH_LAYER_OUTPUTS_H_
#define WEFT_CONVERTER_GRAPH_LAYER_OUTPUTS_H_

#include <cstdint>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

struct LayerOutput {
  int64_t layer = -1;  // id in the IR
  uint32_t port = 0;   // output port of the layer
};

// Adds the outputs that exist in the graph, in the given order.
void AddLayerOutputs(ir::Graph& graph, const std::vector<LayerOutput>& outputs);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYER_OUTPUTS_H_
