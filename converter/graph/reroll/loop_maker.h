// SPDX-License-Identifier: Apache-2.0
// Puts a loop in the place of the copies of its body.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
#define WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_

#include <cstdint>

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct Gain {
  int64_t operations = 0;  // fewer; 0 where the loop has more than half of what its copies have
  bool is_clean = false;   // nothing is taken out again of what the iterations make
};
Gain GainOfLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                const Copies& copies);
// The loop must be inferred afterwards.
void ReplaceByLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                   const Copies& copies);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
