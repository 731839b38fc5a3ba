// SPDX-License-Identifier: Apache-2.0
// Copies a block with everything that belongs to it: its values, and the sections and blocks
// inside.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_CLONE_H_
#define WEFT_CONVERTER_PLAN_LOOPS_CLONE_H_

#include <unordered_map>

#include "converter/program/program.h"

namespace weft::plan {

using ValueMap = std::unordered_map<program::ValueId, program::ValueId>;

// Returns a new block with the items of `block`. `values` maps values to their replacements in the
// copy. Other values are copied if they belong to `block` or a block inside, and shared otherwise.
// Results are mapped like operands. No section inside may still be a loop.
program::BlockId Clone(program::Program& program, program::BlockId block, ValueMap values);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_CLONE_H_
