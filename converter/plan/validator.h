// SPDX-License-Identifier: Apache-2.0
// Validates a finished plan, without sharing code with the planner. It proves that each step reads
// bytes last written for the buffer of its operand (slot_buffers), for every branch and every
// possible trip count: no live value is overwritten, and nothing is read before it is written. The
// bytes of an access are those that the step's parameters select (access.h), not entire slots.
//
// The validator traverses the listing at most twice. Except in one case its time does not depend on
// trip counts, and it grows linearly with the nesting depth. Two rules of weft's plans make this
// possible, and are validated too. First, a buffer that a slot moves through (a sliced input, a
// scan output) shares no byte, in any iteration, with another buffer that the loop writes.
// Exceptions are buffers that live within single iterations only, and buffers that the loop moves
// through as well. The latter is the one case: its iterations are simulated one by one. Second,
// after the first two periods of a loop body, further periods do not change which buffers own the
// bytes that do not move.
//
// Not proved: that a step reads the right element within its own buffer. Also not proved: that no
// step uses bytes after the true length of an output of run-time length (a scan output counts as
// completely written). tests/models checks both by comparing results with a plan that shares no
// memory.
#ifndef WEFT_CONVERTER_PLAN_VALIDATOR_H_
#define WEFT_CONVERTER_PLAN_VALIDATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/weft_generated.h"

namespace weft::plan {

// Returns one line per violation, at most a few dozen. The model must have passed verify.cc. A
// model stripped of its slot_buffers cannot be validated and gives no lines. A file whose strides
// result in tens of millions of separate byte runs gives a line that reports this. Sets
// `compared_ranges` to the number of byte ranges that were compared with the owners of their bytes.
std::vector<std::string> CheckPlan(const format::Model& model, uint64_t* compared_ranges = nullptr);

// In a loop of more iterations, all buffers that it moves through must be disjoint.
inline constexpr int64_t kMaxVisitedTrips = int64_t{1} << 16;

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_VALIDATOR_H_
