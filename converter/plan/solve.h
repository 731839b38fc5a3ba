// SPDX-License-Identifier: Apache-2.0
// Places the buffers of a problem, greedily: one buffer after the other, each at the lowest offset
// where it is apart from those placed before it.
//
// Memories are filled from the fastest to the slowest. Into each but the last go, by their traffic
// per byte, the buffers that still fit into its capacity; the last one takes all that are left, in
// the best of five orders: by size, by time alive, by the product of both, by begin, by end. An
// order is good enough when it meets the lower bound. With near buffers there are five more, which
// first place those that lie below others: room before a buffer is there only if it comes later.
#ifndef WEFT_CONVERTER_PLAN_SOLVE_H_
#define WEFT_CONVERTER_PLAN_SOLVE_H_

#include "converter/plan/problem.h"

namespace weft::plan {

// Buffers with a fixed offset lie there, in the first memory, even where two of them overlap. The
// slowest memory may be used beyond its capacity: used_bytes says what it would need.
Placement Solve(const Problem& problem);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SOLVE_H_
