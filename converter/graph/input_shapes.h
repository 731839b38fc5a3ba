// SPDX-License-Identifier: Apache-2.0
// Checks the input shapes given by --shape against those the model declares, before any other pass
// uses them. A declared dimension may change, the rank may not. A dimension declared with bounds
// (1..50) must stay within them.
#ifndef WEFT_CONVERTER_GRAPH_INPUT_SHAPES_H_
#define WEFT_CONVERTER_GRAPH_INPUT_SHAPES_H_

#include <map>
#include <string>
#include <string_view>

#include "converter/base/element_type.h"
#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Returns `must be one of "x" f32[2,3], "h" f32[?,64]`, with the first printed name of each input.
std::string MustBeOf(const ir::Graph& graph);
// Returns the input with that name, otherwise the input with that index. If there is not exactly
// one, returns null and adds a fault that starts with the option and ends with `must` for an
// unknown name.
ir::Node* FindInput(const ir::Graph& graph, std::string_view option, const std::string& name,
                    std::string_view must, Faults& faults);

// Keys are names of inputs, or else indices. An input with an invalid shape loses its type, like an
// input the reader found invalid, because later shapes that depend on it would be guesses.
void ApplyShapes(ir::Graph& graph, const std::map<std::string, Dims>& shapes, Faults& faults);

// Adds a fault for each input whose shape in the file is a placeholder for unknown dims: the option
// that sets the shape.
void AdviseShapes(const ir::Graph& graph, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INPUT_SHAPES_H_
