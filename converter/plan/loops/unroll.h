// SPDX-License-Identifier: Apache-2.0
// Unrolls one loop into copies of its body, one per phase, with buffers for its states.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_UNROLL_H_
#define WEFT_CONVERTER_PLAN_LOOPS_UNROLL_H_

#include "converter/plan/loops/choose.h"
#include "converter/program/builder.h"
#include "converter/program/program.h"

namespace weft::plan {

// Appends the preparation of the loop, its entry, and the collection of its results to the
// builder's block. All sections inside the body must be unrolled already.
void Unroll(program::Builder& builder, program::SectionId section, const LoopPlan& plan);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_UNROLL_H_
