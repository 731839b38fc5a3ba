// SPDX-License-Identifier: Apache-2.0
// A graph as text, for debugging passes.
#ifndef WEFT_CONVERTER_IR_LISTING_H_
#define WEFT_CONVERTER_IR_LISTING_H_

#include <string>

#include "converter/ir/graph.h"

namespace weft::ir {

// Prints one line per node that the results need, producers first. Bodies are indented below their
// node:
//
//   Parameter %0:f32[1,4] <-  ("x" 0)
//   Const %1:i64[2] <- = 0 -1  ("shape" 1)
//   Reshape %2:f32[1,4] <- %0 %1  ("flat" 2 opset1) special_zero=true
//
// %2 is the node's number in this text, %2.1 its second output. Parentheses contain its name, its
// id in the file and its version. Elements of short constants are printed.
std::string ToString(const Graph& graph);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_LISTING_H_
