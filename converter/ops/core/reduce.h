// SPDX-License-Identifier: Apache-2.0
// The reduce step, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_CORE_REDUCE_H_
#define WEFT_CONVERTER_OPS_CORE_REDUCE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/program/builder.h"

namespace weft::ops {

// An axis of the tensor to reduce; stride in elements.
struct ReduceAxis {
  int64_t dim, stride;
  bool reduced;
};

// Axes with extent > 1; adjacent axes of the same kind are merged; kept axes come before reduced
// axes.
std::vector<ReduceAxis> CollapsedAxes(std::span<const ReduceAxis> axes);

// The collapsed axes and the summation order of floats: in runs if the last axis is reduced, else
// in chains. The order does not depend on the extent of kept axes, because one of them may be the
// time steps of a call. A kept axis of extent 1 is therefore treated like a longer one: reduced
// axes on both sides of it stay separate.
struct Reduction {
  std::vector<ReduceAxis> axes;
  format::ReduceOrder order;

  bool reduces() const;
};
Reduction ReductionOver(std::span<const ReduceAxis> axes);

// y = op over the reduced axes of `collapsed`, in x's element type; y is contiguous. `order`
// applies only to floats.
void EmitReduce(program::Builder& builder, format::ReduceOp op,
                std::span<const ReduceAxis> collapsed, program::ValueId x, program::ValueId y,
                format::ReduceOrder order = format::ReduceOrder::by_strides);

// Counts the true elements of the booleans x along the last axis. Returns numbers of `type` with
// the other dims.
program::ValueId EmitCount(program::Builder& builder, program::ValueId x, ElementType type);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_REDUCE_H_
