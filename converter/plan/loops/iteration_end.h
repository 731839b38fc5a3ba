// SPDX-License-Identifier: Apache-2.0
// The copies at the end of an iteration: from results to where they are gathered or kept, and from
// new values to the buffers of the states that take them. plan/coalesce.h removes unneeded copies
// later.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_ITERATION_END_H_
#define WEFT_CONVERTER_PLAN_LOOPS_ITERATION_END_H_

#include <span>
#include <utility>
#include <vector>

#include "converter/plan/loops/choose.h"
#include "converter/program/builder.h"
#include "converter/program/program.h"

namespace weft::plan {

// Targets of the results of one phase; kNone if a result needs no copy.
struct IterationTargets {
  std::vector<program::ValueId> of_scans, of_lasts, of_lines;
};

// Appends the copies to the builder's block, which has computed `results`. Then orders the items so
// that old states are read before their replacements are written, as far as the data allows.
void EndIteration(program::Builder& builder, const program::Section& section, const LoopPlan& plan,
                  std::span<const program::ValueId> results,
                  std::span<const program::ValueId> states, const IterationTargets& targets);

// Appends copies (source, target) that behave as if all sources were read before any target is
// written: in a suitable order, with one value of each cycle saved to a temporary.
void CopyAtOnce(program::Builder& builder,
                std::vector<std::pair<program::ValueId, program::ValueId>> copies);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_ITERATION_END_H_
