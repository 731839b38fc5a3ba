// SPDX-License-Identifier: Apache-2.0
// The number of steps since a reset, for attention (attention.h) and constants that differ from
// step to step, such as positions. Such a constant is a table from which a run reads its own steps.
// It has only the steps of the model, or fewer if the last ones are equal; later steps read its
// last row.
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

// Adds a state with the wanted name, its type and its description; returns the variable's name.
using NewState = std::function<std::string(const std::string& wanted, const TensorType& type,
                                           const std::string& from)>;

// Makes the readers of such constants, whose dims are final, read the tables. Returns the number of
// steps so far, i64[1]; null if there are neither tables nor a node `asks` that needs it.
ir::Source ReadTables(ir::Graph& graph, const TimeAxes& times, int64_t steps,
                      const std::vector<Table>& tables, const ir::Node* asks,
                      const NewState& new_state);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_POSITION_H_
