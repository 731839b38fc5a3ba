// SPDX-License-Identifier: Apache-2.0
// The top-k step along one axis, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_CORE_TOP_H_
#define WEFT_CONVERTER_OPS_CORE_TOP_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// x is [outer, axis, inner], the results are [outer, k, inner]. `min` selects the k minimum
// elements; `by_index` sorts them by index instead of value.
struct TopGeometry {
  int64_t outer = 1, axis = 1, inner = 1, k = 1;
  bool min = false, by_index = false;
};

void EmitTop(program::Builder& builder, const TopGeometry& geometry, program::ValueId x,
             program::ValueId values, program::ValueId indices);

// Index of the first true element along the axis of the booleans x, [outer, axis, inner]; `axis` if
// there is none. Returns i32 [outer, inner].
program::ValueId EmitFirstTrue(program::Builder& builder, int64_t outer, int64_t axis,
                               int64_t inner, program::ValueId x);

// Indices that sort the one-dimensional x in ascending order; equal elements keep their order.
program::ValueId EmitArgSort(program::Builder& builder, program::ValueId x);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_TOP_H_
