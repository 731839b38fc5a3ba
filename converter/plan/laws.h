// SPDX-License-Identifier: Apache-2.0
// The planner's judge: naive, independent, and shares no code with it. Walks a finished listing as
// the engine would, iteration by iteration, and notes for every byte of state and scratch which
// buffer was written there last. A step that reads a buffer whose bytes another one has
// overwritten, or that nobody wrote, breaks the plan. Where a step reads within its own buffer is
// not judged here: that two ways of planning give the same bits is what tests/models holds.
#ifndef WEFT_CONVERTER_PLAN_LAWS_H_
#define WEFT_CONVERTER_PLAN_LAWS_H_

#include <string>
#include <vector>

#include "runtime/format/weft_generated.h"

namespace weft::plan {

// One line per violation, at most a few dozen. The model must have passed verify.cc; one stripped
// of its slot_buffers cannot be judged and gives no lines. Of loops with more than some thousand
// iterations the first ones are walked; sections with a condition are walked as if it always held.
std::vector<std::string> CheckPlan(const format::Model& model);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LAWS_H_
