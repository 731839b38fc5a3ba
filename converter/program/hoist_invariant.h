// SPDX-License-Identifier: Apache-2.0
// Moves steps whose operands no iteration changes out of their loops, as far out as possible. The
// result is then live during the entire loop, which costs scratch. Results are bit-identical: the
// same step runs once instead of in every iteration.
#ifndef WEFT_CONVERTER_PROGRAM_HOIST_INVARIANT_H_
#define WEFT_CONVERTER_PROGRAM_HOIST_INVARIANT_H_

#include "converter/program/program.h"

namespace weft::program {

// Processes all loops of a program.
void HoistInvariants(Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_HOIST_INVARIANT_H_
