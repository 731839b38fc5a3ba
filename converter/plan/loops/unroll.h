// SPDX-License-Identifier: Apache-2.0
// Turns one loop into copies of its body, one per phase, with homes for its states.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_UNROLL_H_
#define WEFT_CONVERTER_PLAN_LOOPS_UNROLL_H_

#include "converter/plan/loops/choose.h"
#include "converter/program/builder.h"
#include "converter/program/program.h"

namespace weft::plan {

// Appends to the builder's block what prepares the loop, its entry, and what collects its results.
// All sections inside the body are unrolled already.
void Unroll(Builder& builder, SectionId section, const LoopPlan& plan);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_UNROLL_H_
