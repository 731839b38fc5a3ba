// SPDX-License-Identifier: Apache-2.0
// Scratch in two memories, a fast and a slow one. What a run touches most, for the bytes it takes,
// lies in the fast one as far as that reaches; everything else in the slow one.
#ifndef WEFT_CONVERTER_PLAN_REGIONS_H_
#define WEFT_CONVERTER_PLAN_REGIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/plan/liveness.h"
#include "converter/program/program.h"

namespace weft::plan {

// Bytes of operands that one run reads and writes in each interval's value. Loops count with their
// trips, those of open length with their maximum.
std::vector<double> TrafficOf(const Program& program, std::span<const Interval> intervals);

struct TwoArenas {
  std::vector<bool> is_fast;     // per interval
  std::vector<int64_t> offsets;  // per interval, in its memory
  int64_t fast_bytes = 0, slow_bytes = 0;
};

// fast_bytes stays within `fast_capacity_bytes`; slow_bytes is what it is. Offsets are multiples of
// `alignment_bytes`, sizes are rounded up to it.
TwoArenas PlaceInTwo(std::span<const Interval> intervals, std::span<const double> traffic,
                     int64_t fast_capacity_bytes, int64_t alignment_bytes);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_REGIONS_H_
