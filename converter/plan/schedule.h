// SPDX-License-Identifier: Apache-2.0
// Order of the items of one block. Whether a carried state can be updated in place depends on the
// order: every reader of the old state has to come before the step that writes the new one.
#ifndef WEFT_CONVERTER_PLAN_SCHEDULE_H_
#define WEFT_CONVERTER_PLAN_SCHEDULE_H_

#include <span>
#include <utility>

#include "converter/program/program.h"

namespace weft::plan {

// Reorders `block` so that, for as many pairs {old, fresh} as the data allows, all readers of `old`
// come before the first writer of `fresh`. Everything else keeps its order as far as possible, and
// every dependence is kept. Pairs are served in order.
void OrderReadersFirst(Program& program, BlockId block,
                       std::span<const std::pair<ValueId, ValueId>> pairs);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SCHEDULE_H_
