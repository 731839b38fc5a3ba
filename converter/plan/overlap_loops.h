// SPDX-License-Identifier: Apache-2.0
// Values that may overlap although a loop uses both: the loop reads x, for example a sliced input,
// chunk by chunk for the last time. Chunk by chunk it writes y, for example a scan output, over the
// part of x that it has already read.
//
//   x              | x0 | x1 | x2 | x3 |        iteration 2 reads x2 and writes y2, which may
//   y     | y0 | y1 | y2 |                      overlap x0 and x1; later iterations overwrite x2
#ifndef WEFT_CONVERTER_PLAN_OVERLAP_LOOPS_H_
#define WEFT_CONVERTER_PLAN_OVERLAP_LOOPS_H_

#include <span>
#include <vector>

#include "converter/plan/liveness.h"
#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// Returns the pairs, as indices in `lifetimes`, which must be Liveness(program).
std::vector<AllowedOverlap> OverlapsInLoops(const program::Program& program,
                                            std::span<const Lifetime> lifetimes);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_OVERLAP_LOOPS_H_
