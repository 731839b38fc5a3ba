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

// Attribute of a node whose steps are fused with no others, so that they round as they are written.
inline constexpr const char* kRoundsApart = "rounds_apart";

// The whole model: ports, variables and steps. False when faults were added.
bool Lower(ir::Graph& graph, plan::Program& program, Faults& faults);

// `value`, which `source` makes, as what a port shows: its length, and its rows together, where
// that is a run-time length.
void SetPortValue(plan::Builder& builder, const ops::LowerScope::Values& values,
                  const ir::OutputPort& source, plan::ValueId value, plan::Port& port);

// The nodes of one graph (the model's or a body's) into the builder's current block. Parameters
// must stand in `values` already; afterwards the sources of the Results do.
bool LowerNodes(ir::Graph& graph, plan::Builder& builder, ops::LowerScope::Values& values,
                Faults& faults);

// A body whose Parameters stand in `values`, Assigns and all; returns the values of its Results.
std::vector<plan::ValueId> LowerBody(ir::Graph& body, plan::Builder& builder,
                                     ops::LowerScope::Values& values, Faults& faults);

// Assigns, which change variables: after everything that reads their old values.
void LowerSinks(ir::Graph& graph, plan::Builder& builder, ops::LowerScope::Values& values,
                Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LOWER_H_
