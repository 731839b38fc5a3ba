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
  program::ValueId row = program::kNone;  // [inner]
  uint64_t bits = 0;
};

// Rows [rows, inner] of one element type. Optional weights [rows] scale the rows; allowed only for
// sums of floats.
struct BagRows {
  int64_t rows = 0, inner = 1;
  program::ValueId values = program::kNone, weights = program::kNone;
};

// Reduces consecutive bags, the i-th of sizes[i] rows, to y [bags, inner]. Emits one step per run
// of bags of equal size.
void EmitKnownBags(program::Builder& builder, format::ReduceOp op, const BagRows& rows,
                   const Dims& sizes, const EmptyBag& empty, program::ValueId y);

// Reduces rows to bags that are known at run time only: row i belongs to bag numbers[i] (i32 or
// i64), or to none if that is out of range. Emits a loop over the rows with three steps over all
// bags. Returns [bags, inner]. `op` is a sum, a mean of floats or a maximum.
program::ValueId EmitComputedBags(program::Builder& builder, format::ReduceOp op,
                                  const BagRows& rows, program::ValueId numbers, int64_t bags,
                                  const EmptyBag& empty);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_BAGS_H_
