// SPDX-License-Identifier: Apache-2.0
// A value of which parts are touched that have nothing in common becomes one value for each part,
// and what no step touches has no bytes any more: the guards of a track whose loop runs once, parts
// of a whole that is read nowhere as a whole. Each part then lives as long as itself alone.
#ifndef WEFT_CONVERTER_PLAN_SPLIT_VALUES_H_
#define WEFT_CONVERTER_PLAN_SPLIT_VALUES_H_

#include "converter/program/program.h"

namespace weft::plan {

// Parts begin at multiples of the alignment of scratch within the value, so that together they take
// no more bytes than it. Loops must have been planned.
void SplitValues(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SPLIT_VALUES_H_
