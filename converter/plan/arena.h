// SPDX-License-Identifier: Apache-2.0
// Gives every interval an offset so that no two that are alive together share a byte. Knows nothing
// of steps or values: intervals in, offsets out.
#ifndef WEFT_CONVERTER_PLAN_ARENA_H_
#define WEFT_CONVERTER_PLAN_ARENA_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/plan/liveness.h"

namespace weft::plan {

struct Arena {
  std::vector<int64_t> offsets;  // one per interval
  int64_t bytes = 0;
  int64_t bound_bytes = 0;  // most alive at one time: no placement of these is smaller
};

// Offsets are multiples of `alignment_bytes`; sizes are rounded up to it.
Arena PlaceGreedily(std::span<const Interval> intervals, int64_t alignment_bytes);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_ARENA_H_
