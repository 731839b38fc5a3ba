// SPDX-License-Identifier: Apache-2.0
// Places the buffers of a problem. First greedily: one buffer after the other, each at the lowest
// offset where it is apart from those placed before it. Where that ends above the lower bound, by
// search (improve.h), which finds the smallest placement or runs out of nodes.
//
// Memories are filled from the fastest to the slowest. Into each but the last go, by their traffic
// per byte, the buffers that still fit into its capacity; the last one takes all that are left, in
// the best of five orders: by size, by time alive, by the product of both, by begin, by end. An
// order is good enough when it meets the lower bound. With near buffers there are five more, which
// first place those that lie below others: room before a buffer is there only if it comes later.
#ifndef WEFT_CONVERTER_PLAN_SOLVE_H_
#define WEFT_CONVERTER_PLAN_SOLVE_H_

#include <cstdint>
#include <string>

#include "converter/plan/improve.h"
#include "converter/plan/problem.h"

namespace weft::plan {

// What is known of a placement. The times of the buffers are given: another order of steps, or
// other steps, may need less.
struct Account {
  // Of all memories, rounded up to multiples of the granule, as all offsets are.
  int64_t used_bytes = 0, bound_bytes = 0;
  int64_t nodes = 0;       // that searches have looked at
  int64_t peak_bytes = 0;  // live at the fullest moment, where no two share any
  bool is_optimal() const { return used_bytes == bound_bytes; }
  bool operator==(const Account&) const = default;
};
// "optimal for this schedule, proven" or "within 3.2 % of the bound 1024".
std::string ToString(const Account& account);

// Buffers with a fixed offset lie there, in the first memory, even where two of them overlap. The
// slowest memory may be used beyond its capacity: used_bytes says what it would need.
Placement Solve(const Problem& problem, const Effort& effort = {}, Account* account = nullptr);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SOLVE_H_
