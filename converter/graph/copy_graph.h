// SPDX-License-Identifier: Apache-2.0
// Copies of nodes and whole graphs, bodies included. Constants share their bytes with the original.
#ifndef WEFT_CONVERTER_GRAPH_COPY_GRAPH_H_
#define WEFT_CONVERTER_GRAPH_COPY_GRAPH_H_

#include <memory>

#include "converter/ir/graph.h"

namespace weft::graph {

// Reads what the original reads.
std::unique_ptr<ir::Node> CopyOf(const ir::Node& node);
std::unique_ptr<ir::Graph> CopyOf(const ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_COPY_GRAPH_H_
