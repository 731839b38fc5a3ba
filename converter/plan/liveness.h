// SPDX-License-Identifier: Apache-2.0
// When each value with storage of its own holds something that is still read. Time is the position
// of a step in the flattened listing; entering and leaving a section have positions too. A step
// reads and writes at its own time, so a value that it reads last lives until the next.
#ifndef WEFT_CONVERTER_PLAN_LIVENESS_H_
#define WEFT_CONVERTER_PLAN_LIVENESS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

struct Lifetime {
  ValueId root = kNone;
  TimeRange time;
  std::vector<TimeRange> gaps = {};  // in which it holds nothing that is read, in order
  int64_t bytes = 0;
};

// One per root in scratch that anything touches, in order of ValueId. A value that a loop's
// iteration may find as an earlier one (or the outside) left it lives as long as the whole loop,
// but for the time from its last read to the step that writes all of it.
std::vector<Lifetime> Liveness(const Program& program);

// The fullest moment, in words: `peak is 49152 bytes at step 17 (conv "conv3"); alive there: conv2
// 24576, skip 8192`, the largest values first. `nears` are pairs of lifetimes.
std::string DescribePeak(const Program& program, std::span<const Near> nears = {});

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LIVENESS_H_
