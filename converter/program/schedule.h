// SPDX-License-Identifier: Apache-2.0
// Orders the items of one block. A carried state can be updated in place only if every reader of
// the old state runs before the step that writes the new one.
#ifndef WEFT_CONVERTER_PROGRAM_SCHEDULE_H_
#define WEFT_CONVERTER_PROGRAM_SCHEDULE_H_

#include <span>
#include <utility>

#include "converter/program/program.h"

namespace weft::program {

// Reorders `block` so that, for as many pairs {old, fresh} as the data allows, all readers of `old`
// come before the first writer of `fresh`. All dependences are kept, and other items keep their
// order as far as possible. Earlier pairs have priority.
void OrderReadersFirst(Program& program, BlockId block,
                       std::span<const std::pair<ValueId, ValueId>> pairs);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_SCHEDULE_H_
