// SPDX-License-Identifier: Apache-2.0
// Who reads what the copies of a body have made, once a loop has taken their place.
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

// Inputs [input, input + count) of a reader hold a value of the body in the copies from `first` on,
// in steps of `step`. More than one input: the reader joins them along `axis`.
struct Use {
  ir::Node* reader = nullptr;
  size_t input = 0, count = 1;
  int body = kNoValue;
  int64_t first = 0, step = 1;
  int64_t axis = 0;
  bool backward() const { return step < 0; }
  int64_t least() const { return backward() ? first - static_cast<int64_t>(count) + 1 : first; }
};

struct Uses {
  std::vector<Use> uses;
  int64_t operations = 0;  // of the copies, those that cost a step
  // Is what the loop begins with and reads in every iteration known before it?
  bool possible = true;
};

Uses UsesOf(const ir::Graph& graph, const ValueTable& values, const Period& period,
            const Copies& copies);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_USES_H_
