// SPDX-License-Identifier: Apache-2.0
// Takes steps whose operands no iteration changes out of their loop, as far out as that holds. The
// result then lives as long as the loop, which costs scratch. Bits do not change: the same step
// runs once instead of every time.
#ifndef WEFT_CONVERTER_PROGRAM_HOIST_INVARIANT_H_
#define WEFT_CONVERTER_PROGRAM_HOIST_INVARIANT_H_

#include "converter/program/program.h"

namespace weft::plan {

void HoistInvariants(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_HOIST_INVARIANT_H_
