// SPDX-License-Identifier: Apache-2.0
// Lowering emits a plain copy wherever a value must also be stored somewhere else: in a slice of a
// scan output, in a part of a Concat, in the buffer of a carried state, in an output. Coalescing
// merges source and target into one buffer where no step could see the difference, and removes the
// copy. Then elementwise steps may overwrite an operand that has its last use there. A remaining
// copy is forced by some reader or writer.
#ifndef WEFT_CONVERTER_PROGRAM_COALESCE_H_
#define WEFT_CONVERTER_PROGRAM_COALESCE_H_

#include "converter/program/access_index.h"
#include "converter/program/program.h"

namespace weft::program {

// Returns true if the copy at `item` of the block can be dropped by storing its source in its
// target from the first write on. `local` holds the accesses of the block, `everywhere` the access
// counts of the complete program.
bool SourceFitsTarget(const Program& program, const Step& copy, int64_t item,
                      const AccessIndex& local, const AccessCounts& everywhere);

// Merges source and target of plain copies where that is possible, and removes those copies.
void DropCopies(Program& program);
// Lets elementwise steps write their output over an operand.
void WriteInPlace(Program& program);

// DropCopies, then WriteInPlace.
void Coalesce(Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_COALESCE_H_
