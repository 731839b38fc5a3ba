// SPDX-License-Identifier: Apache-2.0
// Reductions over bags of tensor rows: the sum, mean or maximum of the rows in each bag. Shared by
// the operations on bags and segments. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_CORE_BAGS_H_
#define WEFT_CONVERTER_OPS_CORE_BAGS_H_

#include <cstdint>

#include "converter/program/builder.h"

namespace weft::ops {

// The result for a bag without rows: a row, or one bit pattern for every element.
struct EmptyBag {
  plan::ValueId row = plan::kNone;  // [inner]
  uint64_t bits = 0;
};

// Rows [rows, inner] of one element type. Optional weights [rows] scale the rows; allowed only for
// sums of floats.
struct BagRows {
  int64_t rows = 0, inner = 1;
  plan::ValueId values = plan::kNone, weights = plan::kNone;
};

// Reduces consecutive bags, the i-th of sizes[i] rows, to y [bags, inner]. Emits one step per run
// of bags of equal size.
void EmitKnownBags(plan::Builder& builder, format::ReduceOp op, const BagRows& rows,
                   const Dims& sizes, const EmptyBag& empty, plan::ValueId y);

// Reduces rows to bags that are known at run time only: row i belongs to bag numbers[i] (i32 or
// i64), or to none if that is out of range. Emits a loop over the rows with three steps over all
// bags. Returns [bags, inner]. `op` is a sum, a mean of floats or a maximum.
plan::ValueId EmitComputedBags(plan::Builder& builder, format::ReduceOp op, const BagRows& rows,
                               plan::ValueId numbers, int64_t bags, const EmptyBag& empty);

// The minimum value of an element type that weft reduces, as the bits of an element.
uint64_t LowestBits(ElementType type);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_BAGS_H_
