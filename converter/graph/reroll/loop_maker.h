// SPDX-License-Identifier: Apache-2.0
// Puts a loop in the place of the copies of its body.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
#define WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// False, and nothing changed, where a loop would not be smaller than its copies or cannot stand in
// their place. The loop must be inferred afterwards.
bool ReplaceByLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                   const Copies& copies);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
