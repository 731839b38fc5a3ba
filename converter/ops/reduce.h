// SPDX-License-Identifier: Apache-2.0
// The reduce step, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_REDUCE_H_
#define WEFT_CONVERTER_OPS_REDUCE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/program/builder.h"

namespace weft::ops {

// An axis of what is reduced; stride in elements.
struct ReduceAxis {
  int64_t dim, stride;
  bool reduced;
};

// Those of more than one element, neighbours of one kind joined, the kept before the reduced.
std::vector<ReduceAxis> CollapsedAxes(std::span<const ReduceAxis> axes);

// The collapsed axes, and the order in which floats are summed over them: in runs where the last
// axis is reduced, else in chains. A kept axis of one element counts as one of several, and no two
// reduced axes around one are joined: it may be the time steps of a call, whose number must not
// change the order.
struct Reduction {
  std::vector<ReduceAxis> axes;
  format::ReduceOrder order;

  bool reduces() const;
};
Reduction ReductionOver(std::span<const ReduceAxis> axes);

// y = op over the reduced of collapsed axes, over x's element type; y is contiguous. `order`
// matters to floats.
void EmitReduce(plan::Builder& builder, format::ReduceOp op, std::span<const ReduceAxis> collapsed,
                plan::ValueId x, plan::ValueId y,
                format::ReduceOrder order = format::ReduceOrder::by_strides);

// How many of the booleans x hold along its last axis: numbers of `type` under the other dims.
plan::ValueId EmitCount(plan::Builder& builder, plan::ValueId x, ElementType type);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_REDUCE_H_
