// SPDX-License-Identifier: Apache-2.0
// The order in which floats are summed along an axis depends on whether the elements lie side by
// side. Where time stands behind that axis and is cut to a single place, they come to, and the sums
// must nevertheless run as over several places.
#ifndef WEFT_CONVERTER_OPS_SUM_ORDER_H_
#define WEFT_CONVERTER_OPS_SUM_ORDER_H_

#include "converter/program/builder.h"

namespace weft::ops {

// An attribute of what sums, written where time is cut to a single place: along this axis more
// places are imagined, so that the sums run in the order in which they run over those.
inline constexpr const char* kSumsAcross = "sums_across";

// Each element of x beside itself, along one more axis at the end.
plan::ValueId Doubled(plan::Builder& builder, plan::ValueId x);
// The first of each two into y.
void TakeFirst(plan::Builder& builder, plan::ValueId doubled, plan::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUM_ORDER_H_
