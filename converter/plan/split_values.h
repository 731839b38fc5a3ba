// SPDX-License-Identifier: Apache-2.0
// Splits a value whose accessed parts are disjoint into one value per part, and drops the bytes
// that no step accesses: the halo of a scan buffer whose loop runs once, or parts of a value that
// is never read as one. Each part then has its own, shorter live range.
#ifndef WEFT_CONVERTER_PLAN_SPLIT_VALUES_H_
#define WEFT_CONVERTER_PLAN_SPLIT_VALUES_H_

#include "converter/program/program.h"

namespace weft::plan {

// Parts begin at multiples of the scratch alignment within the value, so that together they need no
// more bytes than the value. Loops must have been planned.
void SplitValues(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SPLIT_VALUES_H_
