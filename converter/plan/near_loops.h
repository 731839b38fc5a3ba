// SPDX-License-Identifier: Apache-2.0
// Which values may overlap although a loop uses both: it reads x chunk by chunk for the last time,
// a sliced input say, and writes y chunk by chunk, a scan output, over what it has read of x.
//
//   x              | x0 | x1 | x2 | x3 |        iteration 2 reads x2 and writes y2, which may lie
//   y     | y0 | y1 | y2 |                      over x0 and x1, later ones over x2
#ifndef WEFT_CONVERTER_PLAN_NEAR_LOOPS_H_
#define WEFT_CONVERTER_PLAN_NEAR_LOOPS_H_

#include <span>
#include <vector>

#include "converter/plan/liveness.h"
#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// Pairs of indices in `lifetimes`, which are those of the program.
std::vector<Near> NearsInLoops(const Program& program, std::span<const Lifetime> lifetimes);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_NEAR_LOOPS_H_
