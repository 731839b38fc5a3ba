// SPDX-License-Identifier: Apache-2.0
// How many steps there have been since a reset, for what depends on it: attention (attention.h) and
// constants that differ from step to step, as positions do. Such a constant is a table of which a
// run reads its own steps. It has no more than those of the model: later ones are like its last.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_POSITION_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_POSITION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct Table {
  ir::Node* node = nullptr;
  ir::Constant whole;
  TimeAxis time;
};

// Describes a state of the wanted name, of that type and where it is from; returns the variable's.
using NewState = std::function<std::string(const std::string& wanted, const TensorType& type,
                                           const std::string& from)>;

// The readers of such constants, whose dims are final, read the tables. Returns how many steps
// there have been, i64[1]; nothing where there are neither tables nor a node that asks.
ir::Source ReadTables(ir::Graph& graph, const TimeAxes& times, int64_t steps,
                      const std::vector<Table>& tables, const ir::Node* asks,
                      const NewState& new_state);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_POSITION_H_
