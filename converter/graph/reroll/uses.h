// SPDX-License-Identifier: Apache-2.0
// Finds the readers of values that the copies of a body compute. The loop that replaces the copies
// must provide these values.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_USES_H_
#define WEFT_CONVERTER_GRAPH_REROLL_USES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Inputs [input, input + count) of `reader` are one body value, in copies `first`, first + `step`
// and so on. If there are several inputs, the reader joins them along `axis`.
struct Use {
  ir::Node* reader = nullptr;
  size_t input = 0, count = 1;
  int body = kNoValue;
  int64_t first = 0, step = 1;
  int64_t axis = 0;
  bool backward() const { return step < 0; }
  int64_t min() const { return backward() ? first - static_cast<int64_t>(count) + 1 : first; }
};

struct Uses {
  std::vector<Use> uses;
  int64_t operations = 0;  // operations of the copies that emit a step
  // True if all values that the loop reads are known before it: initial states, sliced inputs and
  // invariants.
  bool possible = true;
};

Uses UsesOf(const ir::Graph& graph, const ValueTable& values, const Period& period,
            const Copies& copies);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_USES_H_
