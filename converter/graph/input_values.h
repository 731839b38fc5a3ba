// SPDX-License-Identifier: Apache-2.0
// Replaces inputs by constants (--value), before any other pass. This converts a model whose axes,
// sizes or filters are inputs, for one choice of their values.
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
  // Alternative to `type` and `bytes`: numbers as in number_value.h, which take the input's type
  // and shape. A single number fills an input of fixed shape.
  std::string numbers = {};
  // Numbers of another type that the input's type can hold are converted, as a call of the model
  // does, and a number of rank 0 fills an input of fixed shape.
  bool may_convert = false;
};

// Keys are names of inputs, or else indices among the inputs that the model declares. Unless the
// value may be converted, its type must be the input's; the shape must match the declared one.
void ApplyValues(ir::Graph& graph, const std::map<std::string, InputValue>& values, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INPUT_VALUES_H_
