// SPDX-License-Identifier: Apache-2.0
// Running sums, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_CORE_CUM_SUM_H_
#define WEFT_CONVERTER_OPS_CORE_CUM_SUM_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// Running sums of x [outer, dim, inner], which is not empty, along the middle axis. `exclusive`
// leaves out the position itself.
program::ValueId EmitRunningSums(program::Builder& builder, program::ValueId x, bool exclusive,
                                 bool backward);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_CUM_SUM_H_
