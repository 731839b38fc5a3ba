// SPDX-License-Identifier: Apache-2.0
// The summation order of floats along an axis depends on whether its elements are adjacent in
// memory. They are if all later axes have extent 1. The sum must nevertheless use the order for
// larger extents, because a later axis may be the time steps of a call.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_SUM_ORDER_H_
#define WEFT_CONVERTER_OPS_SUPPORT_SUM_ORDER_H_

#include "converter/program/builder.h"

namespace weft::ops {

// Repeats each element of x twice along a new last axis of extent 2, so that elements are not
// adjacent.
program::ValueId Doubled(program::Builder& builder, program::ValueId x);
// y = the first element of each pair.
void TakeFirst(program::Builder& builder, program::ValueId doubled, program::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_SUM_ORDER_H_
