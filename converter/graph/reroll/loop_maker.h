// SPDX-License-Identifier: Apache-2.0
// Replaces the copies of a body by a loop.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
#define WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_

#include <cstdint>

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct Gain {
  // Number of operations saved; 0 if the loop has more than half as many as the copies.
  int64_t operations = 0;
  bool is_clean = false;  // no step extracts elements from the joined results of the iterations
};
Gain GainOfLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                const Copies& copies);
// Builds the loop. The caller must infer it afterwards.
void ReplaceByLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                   const Copies& copies);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
