// SPDX-License-Identifier: Apache-2.0
// Shared by the operators of states and of control flow.
#ifndef WEFT_CONVERTER_TFLITE_CONTROL_H_
#define WEFT_CONVERTER_TFLITE_CONTROL_H_

#include <string>

#include "converter/tflite/builder.h"

namespace weft::tflite {

// Warns if a variable is read in the main graph before it has a value.
void WarnOfZeros(Builder& b, const std::string& variable);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_CONTROL_H_
