// SPDX-License-Identifier: Apache-2.0
// Stacked layers with windows over time between them run strip by strip:
//
//   for t: h[t] = f(x[t], h[t - 1])           h, y and g of the first rows, whose windows have
//   padding y = conv(h)                               for each strip of rows: for t: g[t] = f(y[t],
//   g[t - 1])      ->     the last rows of h move to the front of its buffer
//                                               h of the strip, behind them; y of the buffer; g of
//                                               y
//                                             h, y and g of the last rows, likewise
//
// The sequence between two layers, as long as the axis, becomes as long as a strip and what the
// window behind it sees of the rows before. Each window has the taps that it had, so no bit
// changes.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_TIME_STRIPS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_TIME_STRIPS_H_

#include <cstdint>

#include "converter/program/program.h"

namespace weft::plan {

// Before the loops' states have homes: of each group of layers with a loop and a window
// (time_group.h). Returns whether there was any.
bool RunInStrips(Program& program, int64_t most_rows);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_TIME_STRIPS_H_
