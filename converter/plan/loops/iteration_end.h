// SPDX-License-Identifier: Apache-2.0
// The copies that end one iteration: results to where they are gathered or kept, new values to the
// homes of the states that take them. What plan/coalesce.h finds needless goes away later.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_ITERATION_END_H_
#define WEFT_CONVERTER_PLAN_LOOPS_ITERATION_END_H_

#include <span>
#include <utility>
#include <vector>

#include "converter/plan/loops/choose.h"
#include "converter/program/builder.h"
#include "converter/program/program.h"

namespace weft::plan {

// Where one phase leaves its results; kNone where they need no copy.
struct IterationTargets {
  std::vector<ValueId> of_scans, of_lasts, of_lines;
};

// Appends to the builder's block, which has made `results`, the copies and orders its items so that
// old states are read before what replaces them is written, as far as the data allows.
void EndIteration(Builder& builder, const Section& section, const LoopPlan& plan,
                  std::span<const ValueId> results, std::span<const ValueId> states,
                  const IterationTargets& targets);

// Appends copies of which all sources are read before any target is written: in an order that
// ensures it, with one value of every cycle set aside.
void CopyAtOnce(Builder& builder, std::vector<std::pair<ValueId, ValueId>> copies);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_ITERATION_END_H_
