// SPDX-License-Identifier: Apache-2.0
// Chooses how the states of one loop travel (carry.h): which of them line up, which lines are kept
// in a scan output's track, how many homes each ring has.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_CHOOSE_H_
#define WEFT_CONVERTER_PLAN_LOOPS_CHOOSE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "converter/plan/loops/carry.h"
#include "converter/program/program.h"

namespace weft::plan {

struct LoopPlan {
  std::vector<DelayLine> lines;
  // Homes of each line, none of those on tracks: the states' own values, by position, then one more
  // where the line has one more home than states.
  std::vector<std::vector<ValueId>> rings;

  // A scan output, or a last value, that is a value of some line: of that age when the loop ends.
  struct OfLine {
    size_t line = 0, age = 0;
  };
  std::vector<std::optional<OfLine>> line_of_scan, line_of_last;

  size_t phases() const { return PhasesOf(lines); }
};

// For a loop whose body, and all in it, is as lowering left it. `steps_inside` are the steps of the
// sections in the body, once they are unrolled: the more there are, the fewer phases.
LoopPlan ChooseCarries(Program& program, SectionId section, size_t steps_inside);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_CHOOSE_H_
