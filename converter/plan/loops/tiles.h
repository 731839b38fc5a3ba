// SPDX-License-Identifier: Apache-2.0
// Splits loops into tiles of iterations:
//
//   for t < T: body     ->     for s < T / K: { for k < K: body }
//
// Fused loops (fuse.h) can then still compute K iterations at once of everything that does not
// depend on a state. The sequence between two layers is K long, and weights are read once per tile.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_TILES_H_
#define WEFT_CONVERTER_PLAN_LOOPS_TILES_H_

#include <cstdint>

#include "converter/program/program.h"

namespace weft::plan {

// Splits each loop that has a constant trip count, no loop inside and no use of the iteration
// number. Tiles are equal and as long as possible, up to `max_iterations` and half of the trip
// count. Returns true if any loop has been split. Run this before the loops' states have buffers.
bool SplitIntoTiles(program::Program& program, int64_t max_iterations);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_TILES_H_
