// SPDX-License-Identifier: Apache-2.0
// Checks that every operation of a mapped graph can run step by step, and reports all reasons that
// prevent this, including those of the map. Does not change the graph.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_CHECK_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_CHECK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/numbering.h"
#include "converter/graph/streaming/early.h"
#include "converter/graph/streaming/kept_states.h"
#include "converter/graph/streaming/position.h"
#include "converter/graph/streaming/rewrites.h"
#include "converter/graph/streaming/time_map.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Values that the streaming model must keep, in addition to those of operations that look back.
struct Kept {
  KeptStates states;
  std::map<const ir::Node*, Numbering> numbers;  // constants that number steps
  std::vector<Table> tables;                     // other constants that differ from step to step
  std::vector<EarlyUse> early_uses;
};

// Checks the graph for runs of `steps` steps. `is_open`: it has T steps (ir/time_length.h). The
// result is valid if no faults were added; it refers to the loops of the map.
Kept Check(const Rewritten& rewritten, TimeMap& map, int64_t steps, bool is_open,
           const Folding& folding, Faults& faults);

// Returns the fault for more steps per run than a model can have.
std::string TooManySteps(const ir::Graph& graph, int64_t steps, int64_t max);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_CHECK_H_
