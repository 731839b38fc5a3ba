// SPDX-License-Identifier: Apache-2.0
// Writes rows of updates into rows of a tensor, or combines them with its rows. Several updates of
// one row are applied in order. Shared by the scatter operations. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_SCATTER_ROWS_H_
#define WEFT_CONVERTER_OPS_SUPPORT_SCATTER_ROWS_H_

#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {

// Data is [outer, rows, inner], updates are [outer, targets, inner]; update i applies to row
// targets[i].
struct ScatteredRows {
  int64_t outer = 1, rows = 1, inner = 1;
  Dims targets;
};

// How an update changes its row.
enum class Combination { kReplace, kSum, kSubtract, kProduct, kMinimum, kMaximum, kMean };

// Output 0 is input 0, except for the `count` elements to which `movement` copies elements of
// `updates`. The written elements must not overlap.
void WriteInto(LowerScope& scope, const Movement& movement, int64_t count,
               program::ValueId updates);

// Output 0 is input 0 with some rows replaced. The last update of a row wins.
void ReplaceRows(LowerScope& scope, const ScatteredRows& rows, program::ValueId updates);

// Maximum number of updates to one row; each needs a step.
inline constexpr size_t kMaxCombined = 64;

// The maximum number of updates to one row.
size_t MaxCombined(const Dims& targets);

// Output 0 is input 0 with updates combined into rows; `outer` must be 1. If `with_data` is false,
// an updated row starts from its first update instead of the data.
void CombineRows(LowerScope& scope, const ScatteredRows& rows, Combination combination,
                 bool with_data, program::ValueId updates);

// Rows selected by numbers that the run computes: [targets], or one per element of the updates if
// `by_element`. A number out of range writes nothing.
struct ComputedRows {
  int64_t outer = 1, rows = 1, inner = 1, targets = 1;
  bool by_element = false;
  Combination combination = Combination::kReplace;
};

// Returns `data` with rows written, [outer, rows, inner]. Emits a step over all rows for each
// target. kMean is not supported.
program::ValueId EmitComputedRows(program::Builder& builder, const ComputedRows& rows,
                                  program::ValueId numbers, program::ValueId updates,
                                  program::ValueId data);

// As above for every combination. If `with_data` is false, updated elements start from their first
// update.
program::ValueId EmitCombinedRows(program::Builder& builder, const ComputedRows& rows,
                                  program::ValueId numbers, program::ValueId updates,
                                  program::ValueId data, bool with_data);

// Output 0 is input 0 with rows written as by EmitCombinedRows.
void WriteComputedRows(LowerScope& scope, const ComputedRows& rows, program::ValueId numbers,
                       program::ValueId updates, bool with_data = true);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_SCATTER_ROWS_H_
