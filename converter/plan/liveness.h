// SPDX-License-Identifier: Apache-2.0
// When each value with storage of its own holds something that somebody still wants. Time is the
// position of a step in the flattened listing; entering and leaving a section have positions too.
// Intervals are closed: a step reads and writes at its own time.
#ifndef WEFT_CONVERTER_PLAN_LIVENESS_H_
#define WEFT_CONVERTER_PLAN_LIVENESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

struct Interval {
  ValueId root = kNone;
  int64_t first = 0, last = 0;
  int64_t bytes = 0;
};

// One interval per root in scratch that anything touches, in order of ValueId. A value that a
// loop's iteration may find as an earlier one (or the outside) left it lives as long as the whole
// loop.
std::vector<Interval> Liveness(const Program& program);

// The fullest moment, in words: `peak is 49152 bytes at step 17 (conv "conv3"); alive there: conv2
// 24576, skip 8192`, the largest values first.
std::string DescribePeak(const Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LIVENESS_H_
