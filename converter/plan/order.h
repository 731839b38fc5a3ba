// SPDX-License-Identifier: Apache-2.0
// Puts the items of every block into an order in which fewer bytes of scratch are live at one time,
// the innermost blocks first: to the block around it a section is one unit that needs, while it
// runs, what its blocks do.
#ifndef WEFT_CONVERTER_PLAN_ORDER_H_
#define WEFT_CONVERTER_PLAN_ORDER_H_

#include "converter/program/program.h"

namespace weft::plan {

// Values that already lie in one place stay there. Returns whether any item has moved.
bool OrderSteps(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_ORDER_H_
