// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor put into bags, and what becomes of each bag: a sum, a mean or a maximum of its
// rows. Shared by the operations on bags and segments. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_BAGS_H_
#define WEFT_CONVERTER_OPS_BAGS_H_

#include <cstdint>

#include "converter/program/builder.h"

namespace weft::ops {

// What a bag without rows becomes: a row, or one element's bits everywhere.
struct EmptyBag {
  plan::ValueId row = plan::kNone;  // [inner]
  uint64_t bits = 0;
};

// Rows [rows, inner] of one element type, each times its weight where there are weights, [rows]:
// of floats and for sums alone.
struct BagRows {
  int64_t rows = 0, inner = 1;
  plan::ValueId values = plan::kNone, weights = plan::kNone;
};

// Bags of so many rows each, one behind another. y is [bags, inner]. A step for each run of bags of
// one size.
void EmitKnownBags(plan::Builder& builder, format::ReduceOp op, const BagRows& rows,
                   const Dims& sizes, const EmptyBag& empty, plan::ValueId y);

// Row i belongs to bag numbers[i], i32 or i64, which the run computes; to none where that is out of
// range. A loop over the rows with three steps over all bags. Returns [bags, inner]; `op` is a sum,
// a mean of floats or a maximum.
plan::ValueId EmitComputedBags(plan::Builder& builder, format::ReduceOp op, const BagRows& rows,
                               plan::ValueId numbers, int64_t bags, const EmptyBag& empty);

// The least number of an element type that weft reduces, as an element's bits.
uint64_t LowestBits(ElementType type);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_BAGS_H_
