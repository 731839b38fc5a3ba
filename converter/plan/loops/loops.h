// SPDX-License-Identifier: Apache-2.0
// Gives every loop of a program homes for its states, and turns its body into as many copies as
// that takes (see `struct Section` in weft.fbs). Loops of one iteration become part of the block
// around them. Afterwards no section is a loop still.
//
// Slices and scan outputs move with the iteration and cost no copy when every axis before the
// sliced one has size 1; otherwise one transpose outside the loop makes it so. How carried states
// travel is described in carry.h. A run-time count costs one copy per carried output
// after the loop, where the state has more than one home.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_LOOPS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_LOOPS_H_

#include "converter/program/program.h"

namespace weft::plan {

// After FuseTails: a fused step cannot write over what it reads, on which the choice of homes
// depends.
void PlanLoops(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_LOOPS_H_
