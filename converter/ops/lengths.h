// SPDX-License-Identifier: Apache-2.0
// Run-time lengths as values, for the operations that look at them. Beyond its length a tensor
// holds whatever its maker left there.
#ifndef WEFT_CONVERTER_OPS_LENGTHS_H_
#define WEFT_CONVERTER_OPS_LENGTHS_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// The true length along an axis (i32, one element), once its maker has run.
plan::ValueId EmitLength(plan::Builder& builder, const LowerScope::Values& values,
                         const ir::RunTimeExtent& extent);

// x under `dims` with `filler`, one element, in place of what lies beyond `length` along an axis.
plan::ValueId EmitFilled(plan::Builder& builder, plan::ValueId x, const Dims& dims, size_t axis,
                         plan::ValueId length, plan::ValueId filler);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_LENGTHS_H_
