// SPDX-License-Identifier: Apache-2.0
// Turns a graph with final types into steps, node by node in topological order.
#ifndef WEFT_CONVERTER_GRAPH_LOWER_H_
#define WEFT_CONVERTER_GRAPH_LOWER_H_

#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/ops/operation.h"
#include "converter/program/builder.h"

namespace weft::graph {

// Attribute of a node whose steps are never fused with others, so that they round as written.
inline constexpr const char* kRoundsApart = "rounds_apart";
// Attribute of a reshape that replaces a border or a slice of the full model. What it separates
// stays separate: merging would round differently from the full model.
inline constexpr const char* kMoved = "moved";

// Lowers the entire model: ports, variables and steps. Returns false if faults were added.
bool Lower(ir::Graph& graph, program::Program& program, Faults& faults);

// Sets `port` to `value`, which `source` computes. If `value` has a run-time length, also sets the
// length, and stores the rows contiguously.
void SetPortValue(program::Builder& builder, const ops::LowerScope::Values& values,
                  const ir::OutputPort& source, program::ValueId value, program::Port& port);

// Lowers the nodes of one graph (the model's or a body's) into the builder's current block.
// `values` must contain the Parameters; afterwards it also contains the sources of the Results.
bool LowerNodes(ir::Graph& graph, program::Builder& builder, ops::LowerScope::Values& values,
                Faults& faults);

// Lowers a body, including Assigns. `values` must contain its Parameters. Returns the values of its
// Results.
std::vector<program::ValueId> LowerBody(ir::Graph& body, program::Builder& builder,
                                        ops::LowerScope::Values& values, Faults& faults);

// Lowers Assigns, which change variables. Call it after all readers of the old values are lowered.
void LowerSinks(ir::Graph& graph, program::Builder& builder, ops::LowerScope::Values& values,
                Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LOWER_H_
