// SPDX-License-Identifier: Apache-2.0
// Steps with a window along the rows of a map, such as convolutions and pools over time, and what
// such a step is for some of its rows.
#ifndef WEFT_CONVERTER_PROGRAM_WINDOW_ROWS_H_
#define WEFT_CONVERTER_PROGRAM_WINDOW_ROWS_H_

#include <cstdint>
#include <optional>

#include "converter/program/program.h"

namespace weft::plan {

// Row t of y is made of rows t - front to t - front + reach of x, as far as x has them.
struct WindowRows {
  int64_t in = 0, out = 0;  // rows of x, operand 0, and of y, the only output
  int64_t front = 0, reach = 0;
  int64_t behind() const { return out - in + reach - front; }  // rows of padding
};

// Of a step that makes one row of y for each row of x, but for those at the ends. Nullopt for
// others, and where rows of either are not evenly spaced runs of all channels.
std::optional<WindowRows> WindowRowsOf(const Step& step);

// The step for as many rows, whose x begins as many rows behind the first window's begin.
Params WindowPart(const Step& step, int64_t in, int64_t out, int64_t front);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_WINDOW_ROWS_H_
