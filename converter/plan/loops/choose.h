// SPDX-License-Identifier: Apache-2.0
// Chooses how the states of one loop are carried (carry.h): which states form lines, which lines
// are stored in the buffer of a scan output, and how many buffers each ring has.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_CHOOSE_H_
#define WEFT_CONVERTER_PLAN_LOOPS_CHOOSE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "converter/plan/loops/carry.h"
#include "converter/program/program.h"

namespace weft::plan {

// The buffers of all states of a loop.
struct LoopPlan {
  std::vector<DelayLine> lines;
  // Buffers of each line, by position: the states' own values, then one more if the line has one
  // more buffer than states. Empty for lines in scan buffers.
  std::vector<std::vector<program::ValueId>> rings;

  // A scan output, or a last value, that is a value of a line: the one of this age when the loop
  // ends.
  struct OfLine {
    size_t line = 0, age = 0;
  };
  std::vector<std::optional<OfLine>> line_of_scan, line_of_last;

  size_t phases() const { return PhasesOf(lines); }
};

// Requires a loop whose body, with everything inside, is as lowering left it. `steps_inside` is the
// number of steps of the sections in the body after unrolling; more steps allow fewer phases.
LoopPlan ChooseCarries(program::Program& program, program::SectionId section, size_t steps_inside);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_CHOOSE_H_
