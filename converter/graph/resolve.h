// SPDX-License-Identifier: Apache-2.0
// Gives every node, bodies included, its row of the operation table: the newest version not above
// the one the file asks for. Each operation without a row is one line, with its layers, what the
// model's source calls it and what to do about it (missing.h).
#ifndef WEFT_CONVERTER_GRAPH_RESOLVE_H_
#define WEFT_CONVERTER_GRAPH_RESOLVE_H_

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Sets the rows and says nothing of operations that have none: passes before Resolve may yet make
// other operations of them.
void FindOperations(ir::Graph& graph);

// False when a fault was added.
bool Resolve(ir::Graph& graph, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RESOLVE_H_
