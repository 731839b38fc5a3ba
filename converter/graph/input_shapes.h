// SPDX-License-Identifier: Apache-2.0
// The shapes that the call gives to inputs (--shape), held against what the model declares of them
// before any pass works with them. A declared dimension may change, the rank may not, and one that
// is declared within bounds (1..50) stays within them.
#ifndef WEFT_CONVERTER_GRAPH_INPUT_SHAPES_H_
#define WEFT_CONVERTER_GRAPH_INPUT_SHAPES_H_

#include <map>
#include <string>
#include <string_view>

#include "converter/base/element_type.h"
#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `must be one of "x" f32[2,3], "h" f32[?,64]`, by the names that weft prints first.
std::string MustBeOf(const ir::Graph& graph);
// The input of that name, else of that index; where there is not exactly one null, with a fault
// that begins with the option and says what an unknown name must be.
ir::Node* FindInput(const ir::Graph& graph, std::string_view option, const std::string& name,
                    std::string_view must, Faults& faults);

// By any name of an input, else by its index. An input whose shape is at fault loses its type, as
// what the reader has found at fault has none: every shape behind it would be a guess.
void ApplyShapes(ir::Graph& graph, const std::map<std::string, Dims>& shapes, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INPUT_SHAPES_H_
