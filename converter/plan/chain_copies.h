// SPDX-License-Identifier: Apache-2.0
// Where one value of a variable is copied twice, to an output and to another variable say, the
// second copy reads what the first has written. Then plan/coalesce.h can keep the first copy's
// target in the second one's, and one copy serves both: a variable itself shares its place with
// nothing.
#ifndef WEFT_CONVERTER_PLAN_CHAIN_COPIES_H_
#define WEFT_CONVERTER_PLAN_CHAIN_COPIES_H_

#include "converter/program/program.h"

namespace weft::plan {

void ChainCopies(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_CHAIN_COPIES_H_
