// SPDX-License-Identifier: Apache-2.0
// The resources that a model needs on its target, and their largest contributors.
#ifndef WEFT_CONVERTER_INSPECT_BUDGET_H_
#define WEFT_CONVERTER_INSPECT_BUDGET_H_

#include <cstddef>

#include "converter/base/json.h"
#include "runtime/weft.h"

namespace weft::inspect {

// Returns flash by part, memory by region with its peak, stack and work. Lists of contributors have
// at most `max_rows` rows, the largest first. The file must have passed verify.cc.
Json BudgetOf(Bytes file, size_t max_rows);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_BUDGET_H_
