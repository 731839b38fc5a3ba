// SPDX-License-Identifier: Apache-2.0
// Runs stacked layers with windows over time between them tile by tile:
//
//   for t: h[t] = f(x[t], h[t - 1])         h, y and g of the first rows, with padding
//   y = conv(h)                             for each tile of rows:
//   for t: g[t] = f(y[t], g[t - 1])   ->      move the last rows of h to the front of its buffer
//                                             h of the tile, after them; y of the buffer; g of y
//                                           h, y and g of the last rows, with padding
//
// The sequence between two layers, as long as the axis, becomes as long as a tile plus the earlier
// rows that the following window reads. Each window keeps its taps, so results are bit-identical.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_TIME_TILES_H_
#define WEFT_CONVERTER_PLAN_LOOPS_TIME_TILES_H_

#include <cstdint>

#include "converter/program/program.h"

namespace weft::plan {

// Processes each group of layers with a loop and a window (time_group.h). Returns true if there was
// any. Run this before the loops' states have buffers.
bool RunInTiles(program::Program& program, int64_t max_rows);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_TIME_TILES_H_
