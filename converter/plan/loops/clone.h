// SPDX-License-Identifier: Apache-2.0
// Another copy of a block with everything made for it: its values, and the sections and blocks
// inside.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_CLONE_H_
#define WEFT_CONVERTER_PLAN_LOOPS_CLONE_H_

#include <unordered_map>

#include "converter/program/program.h"

namespace weft::plan {

using ValueMap = std::unordered_map<ValueId, ValueId>;

// A new block with the items of `block`. `values` says what stands for values in the copy; those
// that it does not name are copied where they were made for `block` or a block inside, and are the
// same otherwise. Results become what stands for them. No section inside is a loop still.
BlockId Clone(Program& program, BlockId block, ValueMap values);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_CLONE_H_
