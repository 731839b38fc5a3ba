// SPDX-License-Identifier: Apache-2.0
// Shared by the operators of states and of control flow.
#ifndef WEFT_CONVERTER_TFLITE_CONTROL_H_
#define WEFT_CONVERTER_TFLITE_CONTROL_H_

#include <string>
#include <vector>

#include "converter/tflite/builder.h"

namespace weft::tflite {

// Warns if a variable is read in the main graph before it has a value.
void WarnOfZeros(Builder& b, const std::string& variable);

// A branch of an If. Parameter i of the file reads input inputs[i] of the layer.
struct Branch {
  Inner inner = {};
  std::vector<size_t> inputs = {};
};
// Adds an If of the condition inputs[0], and sets the states that the branches use. Its first
// `outputs` outputs are those of the file.
ir::Node& AddIf(Builder& b, Sources inputs, Branch (&branches)[2], size_t outputs);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_CONTROL_H_
