// SPDX-License-Identifier: Apache-2.0
// Steps that compute row numbers from indices known only at run time. An index (i32 or i64) may be
// negative and then counts from the end of its axis. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_CORE_ROW_NUMBERS_H_
#define WEFT_CONVERTER_OPS_CORE_ROW_NUMBERS_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// Indices of an axis of `rows` elements, counted from its start. An index out of range stays out of
// range.
program::ValueId EmitFromStart(program::Builder& builder, program::ValueId indices, int64_t rows);

// Row number of each coordinate tuple, [tuples, extents.size()], among the rows of `extents`. A
// tuple with a coordinate out of range gets the number of rows, one past the last.
program::ValueId EmitRowNumbers(program::Builder& builder, program::ValueId tuples,
                                const Dims& extents);

// Returns true if the type of input i, which holds tuples for `extents`, can represent the results
// of EmitRowNumbers; else reports an error.
bool CheckRowNumbers(InferScope& scope, size_t i, const Dims& extents);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_ROW_NUMBERS_H_
