// SPDX-License-Identifier: Apache-2.0
// Run-time lengths as values, for the operations that use them. The content of a tensor beyond its
// length is unspecified.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_LENGTHS_H_
#define WEFT_CONVERTER_OPS_SUPPORT_LENGTHS_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// The actual length along an axis (i32, one element), valid once the producer has run.
program::ValueId EmitLength(program::Builder& builder, const LowerScope::Values& values,
                            const ir::RunTimeExtent& extent);

// Returns x under `dims`, with `filler` (one element) at all positions of `axis` from `length` on.
program::ValueId EmitFilled(program::Builder& builder, program::ValueId x, const Dims& dims,
                            size_t axis, program::ValueId length, program::ValueId filler);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_LENGTHS_H_
