// SPDX-License-Identifier: Apache-2.0
// The symbol T: the number of steps of a dynamic time axis. Shape rules compute with integers, so T
// is represented by a number with many divisors that is far above all extents of real models. An
// extent a * T + b is known by its values for T and 2 * T (graph/double_length.h).
#ifndef WEFT_CONVERTER_IR_TIME_LENGTH_H_
#define WEFT_CONVERTER_IR_TIME_LENGTH_H_

#include <cstdint>
#include <string>

#include "converter/ir/graph.h"

namespace weft::ir {

inline constexpr int64_t kTimeLength = 806400;  // 2^9 * 3^2 * 5^2 * 7

// Returns a mask with a bit for each axis whose extent depends on T.
uint32_t OpenAxes(const OutputPort& port);
inline uint32_t OpenAxes(const Source& source) {
  return OpenAxes(source.node->outputs[source.port]);
}
inline bool IsOpen(const Source& source, size_t axis) {
  return (OpenAxes(source) >> axis & 1U) != 0;
}
// Returns the extents for that many steps.
Dims DimsFor(const OutputPort& port, int64_t steps);

// Returns the text with each number a * T + b written with the symbol: "[1,T,40]", "2*T+3", "T/4".
std::string WithTimeSymbol(const std::string& text);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_TIME_LENGTH_H_
