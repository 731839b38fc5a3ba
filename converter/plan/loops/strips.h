// SPDX-License-Identifier: Apache-2.0
// Loops are cut into strips of iterations:
//
//   for t < T: body     ->     for s < T / K: { for k < K: body }
//
// so that fused loops (fuse.h) still do for K iterations at once what no state takes part in: the
// sequence between two layers is K long then, and weights are read once per strip.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_STRIPS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_STRIPS_H_

#include <cstdint>

#include "converter/program/program.h"

namespace weft::plan {

// Before the loops' states have homes. Of each loop without a loop inside whose iterations are
// known in number and not asked for theirs, into equal strips as long as can be and not longer than
// that. Returns whether any loop has been cut.
bool CutIntoStrips(Program& program, int64_t most_iterations);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_STRIPS_H_
