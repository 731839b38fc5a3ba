// SPDX-License-Identifier: Apache-2.0
// Assigns buffers to the states of every loop of a program, and emits the copies of the body that
// these need. `struct Section` in weft.fbs describes the result. Loops of one iteration become part
// of the block around them. Afterwards no section is a loop.
//
// Slices and scan outputs move with the iteration. They need no copy if every axis before the
// sliced one has size 1; otherwise one transpose outside the loop makes it so. carry.h describes
// carried states. With a run-time trip count, each carried output needs one copy after the loop if
// its state has more than one buffer.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_LOOPS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_LOOPS_H_

#include <vector>

#include "converter/base/pass_parts.h"
#include "converter/program/program.h"

namespace weft::plan {

// Run this after FuseTails: the choice of buffers depends on whether a step can write over what it
// reads, and a fused step cannot.
void PlanLoops(program::Program& program, const PartObserver<program::Program>& observe = {});
// The parts of PlanLoops, in order; `observe`, if it is set, is called after each.
std::vector<PartText> LoopParts();

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_LOOPS_H_
