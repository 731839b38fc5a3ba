// SPDX-License-Identifier: Apache-2.0
// Solves a placement problem. First greedily: one buffer after the other, each at the lowest offset
// where it is disjoint from those already placed. If the result is above the lower bound, a search
// follows (improve.h), which finds the smallest placement or runs out of nodes.
//
// Memories are filled from the fastest to the slowest. Each memory except the last receives, in
// order of traffic per byte, the buffers that still fit into its capacity. The last one receives
// all remaining buffers, in the best of five orders: by size, by time live, by the product of both,
// by begin, by end. The first order that meets the lower bound is taken. With overlapping pairs
// there are five more orders, which put the lower buffer of a pair first: below a buffer at offset
// 0 there is no space left. Copies of weights compete with the buffers of a memory by traffic per
// byte; in the last memory they receive the space that the buffers leave.
#ifndef WEFT_CONVERTER_PLAN_SOLVE_H_
#define WEFT_CONVERTER_PLAN_SOLVE_H_

#include <cstdint>
#include <string>

#include "converter/plan/improve.h"
#include "converter/plan/problem.h"

namespace weft::plan {

// Quality of a placement for the given lifetimes. Another order of steps, or other steps, may need
// less.
struct Account {
  // Sums over all memories, rounded up to multiples of the granule, as all offsets are.
  int64_t used_bytes = 0, bound_bytes = 0;
  int64_t nodes = 0;       // visited by searches
  int64_t peak_bytes = 0;  // maximum live bytes if no two buffers overlap
  bool is_optimal() const { return used_bytes == bound_bytes; }
  bool operator==(const Account&) const = default;
};
// "proven minimum for this order of steps" or "within 3.2 % of the bound 1024".
std::string ToString(const Account& account);

// Buffers with a fixed offset get that offset in the first memory, even if two of them overlap. The
// slowest memory may be used beyond its capacity: used_bytes is the size that it would need.
Placement Solve(const Problem& problem, const Effort& effort = {}, Account* account = nullptr);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SOLVE_H_
