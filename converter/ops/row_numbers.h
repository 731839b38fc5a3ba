// SPDX-License-Identifier: Apache-2.0
// Numbers of rows by indices that the run computes, as steps. An index, i32 or i64, counts from the
// end of its axis where it is negative. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_ROW_NUMBERS_H_
#define WEFT_CONVERTER_OPS_ROW_NUMBERS_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// The indices of an axis of `rows` as numbers from its start. What is out of range stays so.
plan::ValueId EmitFromStart(plan::Builder& builder, plan::ValueId indices, int64_t rows);

// One number per tuple of coordinates, [tuples, extents.size()]: that of its row among those of
// `extents`, or one behind the last row where a coordinate is out of range.
plan::ValueId EmitRowNumbers(plan::Builder& builder, plan::ValueId tuples, const Dims& extents);

// Input i, tuples for `extents`, is of a type that holds what EmitRowNumbers computes; else a
// fault.
bool CheckRowNumbers(InferScope& scope, size_t i, const Dims& extents);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_ROW_NUMBERS_H_
