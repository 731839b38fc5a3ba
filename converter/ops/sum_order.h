// SPDX-License-Identifier: Apache-2.0
// The order in which floats are summed along an axis depends on whether the elements are adjacent
// in memory. Where all axes behind it have one element, they are, and the sum must nevertheless
// have the order that it has where these axes have several: one of them may be the time steps of a
// call.
#ifndef WEFT_CONVERTER_OPS_SUM_ORDER_H_
#define WEFT_CONVERTER_OPS_SUM_ORDER_H_

#include "converter/program/builder.h"

namespace weft::ops {

// Each element of x beside itself, along one more axis at the end.
plan::ValueId Doubled(plan::Builder& builder, plan::ValueId x);
// The first of each two into y.
void TakeFirst(plan::Builder& builder, plan::ValueId doubled, plan::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUM_ORDER_H_
