// SPDX-License-Identifier: Apache-2.0
// Validates a finished plan; shares no code with the planner. Proves, for every number of
// iterations that any loop can do and for every branch, that each step reads bytes that were last
// written as part of the buffer it means (slot_buffers): nothing alive is overwritten, and nothing
// is read that was not written. Bytes are those that the steps' parameters name (access.h), not
// whole slots.
//
// The walk is over the listing, twice at most: but for one case its time does not depend on how
// often loops run, and grows linearly with their depth. Two rules of weft's plans make that
// possible, and are validated too. A buffer that some slot of a loop moves through (a sliced input,
// a scan output) shares no byte, in any iteration, with another buffer that the loop writes, unless
// all its life lies within single iterations, or the loop moves through the other one as well:
// then, the one case, its iterations are walked one by one. And what the first two periods of a
// loop body leave in place, all further ones do.
//
// Not proved: that a step reads the right place within its own buffer, and that bytes behind the
// true length of an output of run-time length are not used (a scan output counts as written whole).
// tests/models holds both to the bits of the plan that shares nothing.
#ifndef WEFT_CONVERTER_PLAN_VALIDATOR_H_
#define WEFT_CONVERTER_PLAN_VALIDATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/weft_generated.h"

namespace weft::plan {

// One line per violation, at most a few dozen. The model must have passed verify.cc; one stripped
// of its slot_buffers cannot be validated and gives no lines. A file whose strides fall into tens
// of millions of separate runs of bytes gives a line that says so.
std::vector<std::string> CheckPlan(const format::Model& model);

// In a loop of more iterations all that it moves through has to be apart.
inline constexpr int64_t kMostWalkedTrips = int64_t{1} << 16;

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_VALIDATOR_H_
