// SPDX-License-Identifier: Apache-2.0
// Live ranges of values with storage of their own: when each holds something that is still read.
// Time is the position of a step in the flattened listing; entering and leaving a section have
// positions too. A step reads and writes at its own time, so a value whose last reader is at time t
// is live until t + 1.
#ifndef WEFT_CONVERTER_PLAN_LIVENESS_H_
#define WEFT_CONVERTER_PLAN_LIVENESS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// The live range of a value with storage of its own.
struct Lifetime {
  program::ValueId root = program::kNone;
  TimeRange time;
  std::vector<TimeRange> gaps = {};  // in which it holds nothing that is read later, in order
  int64_t bytes = 0;
};

// One lifetime per root in scratch that is accessed, in order of ValueId. A value is live during an
// entire loop if an iteration may read what an earlier iteration, or the code before the loop, has
// written. The exception is the time from its last read to the step that overwrites all of it.
std::vector<Lifetime> Liveness(const program::Program& program);

// Describes the moment with the most live bytes, largest values first: `peak is 49152 bytes at step
// 17 (conv "conv3"); alive there: conv2 24576, skip 8192`. `allowed_overlaps` are pairs of indices
// in Liveness(program).
std::string DescribePeak(const program::Program& program,
                         std::span<const AllowedOverlap> allowed_overlaps = {});

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LIVENESS_H_
