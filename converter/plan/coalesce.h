// SPDX-License-Identifier: Apache-2.0
// Lowering moves values with plain copies wherever a value must also stand somewhere else: in a
// slice of a scan output, in a part of a Concat, in the home of a carried state, in an output. Here
// source and target become one place wherever no step could see the difference, and the copy goes
// away. Element-by-element steps are then let to write over an operand that dies with them. A copy
// that remains is one that some reader or writer forces.
#ifndef WEFT_CONVERTER_PLAN_COALESCE_H_
#define WEFT_CONVERTER_PLAN_COALESCE_H_

#include "converter/program/access_index.h"
#include "converter/program/program.h"

namespace weft::plan {

// May the copy at `item` of `block` be dropped by letting its source live in its target from the
// first write on? `local` are the accesses of the block; `everywhere` the counts of those of the
// whole program.
bool SourceFitsTarget(const Program& program, const Step& copy, int64_t item,
                      const AccessIndex& local, const AccessCounts& everywhere);

void DropCopies(Program& program);
// Lets element-by-element steps write over an operand.
void WriteInPlace(Program& program);

// Both, in that order.
void Coalesce(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_COALESCE_H_
