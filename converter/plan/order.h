// SPDX-License-Identifier: Apache-2.0
// Reorders the items of every block so that fewer bytes of scratch are live at one time. Innermost
// blocks come first: to the block around it, a section is one unit that needs the scratch of its
// blocks while it runs.
#ifndef WEFT_CONVERTER_PLAN_ORDER_H_
#define WEFT_CONVERTER_PLAN_ORDER_H_

#include "converter/program/program.h"

namespace weft::plan {

// Values that already share a buffer keep sharing it. Returns true if any item has moved.
bool OrderSteps(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_ORDER_H_
