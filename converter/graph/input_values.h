// SPDX-License-Identifier: Apache-2.0
// Inputs that the call makes constants (--value), before any pass works with them. A model whose
// axes, sizes or filters are inputs converts so for one choice of them.
#ifndef WEFT_CONVERTER_GRAPH_INPUT_VALUES_H_
#define WEFT_CONVERTER_GRAPH_INPUT_VALUES_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct InputValue {
  TensorType type;
  std::vector<std::byte> bytes;  // dense, row-major
  // Instead of both: numbers as number_value.h has them, which take the input's type and shape. One
  // number fills an input of fixed shape.
  std::string numbers = {};
};

// By any name of an input, else by its index among the inputs that the model declares. The type
// must be the input's, the shape one that it may have.
void ApplyValues(ir::Graph& graph, const std::map<std::string, InputValue>& values, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INPUT_VALUES_H_
