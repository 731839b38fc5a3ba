// SPDX-License-Identifier: Apache-2.0
// The step that chooses the best along one axis, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_TOP_H_
#define WEFT_CONVERTER_OPS_TOP_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// x is [outer, axis, inner], the results are [outer, k, inner].
struct TopGeometry {
  int64_t outer = 1, axis = 1, inner = 1, k = 1;
  bool least = false, by_index = false;
};

void EmitTop(plan::Builder& builder, const TopGeometry& geometry, plan::ValueId x,
             plan::ValueId values, plan::ValueId indices);

// Where along the axis of booleans x [outer, axis, inner] the first true one stands, or `axis`
// where none does: i32 [outer, inner].
plan::ValueId EmitFirstTrue(plan::Builder& builder, int64_t outer, int64_t axis, int64_t inner,
                            plan::ValueId x);

// The places of x, one axis, in ascending order of its elements; equal ones in that of the axis.
plan::ValueId EmitAscendingPlaces(plan::Builder& builder, plan::ValueId x);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_TOP_H_
