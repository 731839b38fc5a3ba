// SPDX-License-Identifier: Apache-2.0
// A graph as text, for people who want to see what a pass has made of it.
#ifndef WEFT_CONVERTER_IR_LISTING_H_
#define WEFT_CONVERTER_IR_LISTING_H_

#include <string>

#include "converter/ir/graph.h"

namespace weft::ir {

// One line per node that the results need, producers first; bodies stand indented below theirs:
//
//   Parameter %0:f32[1,4] <-  ("x" 0)
//   Const %1:i64[2] <- = 0 -1  ("shape" 1)
//   Reshape %2:f32[1,4] <- %0 %1  ("flat" 2 opset1) special_zero=true
//
// %2 is the node's number in this text, %2.1 its second output; in brackets stand its name, its id
// in the file and its version. Short constants show their elements.
std::string ToString(const Graph& graph);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_LISTING_H_
