// SPDX-License-Identifier: Apache-2.0
// New nodes, and copies of nodes and whole graphs, bodies included: the one place outside the
// reader where nodes are made. Constants share their bytes with the original.
#ifndef WEFT_CONVERTER_IR_EDIT_H_
#define WEFT_CONVERTER_IR_EDIT_H_

#include <memory>

#include "converter/ir/graph.h"

namespace weft::ir {

// A node of no type yet that stands for the layer that `like` stands for: its id, line and name.
std::unique_ptr<Node> MakeNode(const Node& like);

// Reads what the original reads.
std::unique_ptr<Node> CopyOf(const Node& node);
std::unique_ptr<Graph> CopyOf(const Graph& graph);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_EDIT_H_
