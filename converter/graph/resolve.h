// SPDX-License-Identifier: Apache-2.0
// Assigns to every node, including bodies, its row of the operation table: the newest version not
// above the one that the file requests. Reports each operation without a row in one line, with its
// layers, its name in the source framework and a workaround (missing.h).
#ifndef WEFT_CONVERTER_GRAPH_RESOLVE_H_
#define WEFT_CONVERTER_GRAPH_RESOLVE_H_

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Sets the rows without reporting operations that have none, because passes before Resolve may
// still replace these.
void FindOperations(ir::Graph& graph);

// Returns false if a fault was added.
bool Resolve(ir::Graph& graph, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RESOLVE_H_
