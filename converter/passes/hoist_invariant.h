// SPDX-License-Identifier: Apache-2.0
// Takes steps whose operands no iteration changes out of their loop, as far out as that holds. The
// result then lives as long as the loop, which costs scratch. Bits do not change: the same step
// runs once instead of every time.
#ifndef WEFT_CONVERTER_PASSES_HOIST_INVARIANT_H_
#define WEFT_CONVERTER_PASSES_HOIST_INVARIANT_H_

#include "converter/plan/program.h"

namespace weft::passes {

void HoistInvariants(plan::Program& program);

}  // namespace weft::passes

#endif  // WEFT_CONVERTER_PASSES_HOIST_INVARIANT_H_
