// SPDX-License-Identifier: Apache-2.0
// The same part of a variable may be copied twice, for example to an output and to another
// variable. This pass makes the second copy read the target of the first one. plan/coalesce.h can
// then merge the target of the first copy with the target of the second, and one copy serves both.
// Coalescing cannot do this by merging with the variable, because a variable never shares its
// buffer.
#ifndef WEFT_CONVERTER_PLAN_CHAIN_COPIES_H_
#define WEFT_CONVERTER_PLAN_CHAIN_COPIES_H_

#include "converter/program/program.h"

namespace weft::plan {

// Redirects such copies in every block. Results are bit-identical.
void ChainCopies(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_CHAIN_COPIES_H_
