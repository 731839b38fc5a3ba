// SPDX-License-Identifier: Apache-2.0
// Rows of updates over rows of a tensor: written, or combined with what stands there, one update of
// a row after another. Shared by the operations that scatter. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_SCATTER_ROWS_H_
#define WEFT_CONVERTER_OPS_SCATTER_ROWS_H_

#include "converter/ops/movement.h"
#include "converter/ops/operation.h"

namespace weft::ops {

// Data is [outer, rows, inner]; the updates are [outer, targets, inner], and number i belongs to
// row targets[i].
struct ScatteredRows {
  int64_t outer = 1, rows = 1, inner = 1;
  Dims targets;
};

// What becomes of a row and the updates that it meets, one after another.
enum class Combination { kReplace, kSum, kSubtract, kProduct, kMinimum, kMaximum, kMean };

// Output 0 is input 0 but for the `count` elements to which `movement` takes those of `updates`; no
// two of them meet.
void WriteInto(LowerScope& scope, const Movement& movement, int64_t count, plan::ValueId updates);

// Output 0 is input 0 with rows replaced; of several updates for one row the last one stays.
void ReplaceRows(LowerScope& scope, const ScatteredRows& rows, plan::ValueId updates);

// Combinations of one row are one step each.
inline constexpr size_t kMostCombined = 64;

// How many updates the row with the most of them meets.
size_t MostCombined(const Dims& targets);

// Output 0 is input 0 with rows combined, `outer` being 1. Rows that meet an update start from it
// where `with_data` is false.
void CombineRows(LowerScope& scope, const ScatteredRows& rows, Combination combination,
                 bool with_data, plan::ValueId updates);

// Rows whose numbers the run computes: [targets], or with `by_element` one number for each element
// of the updates. A number out of range writes nothing.
struct ComputedRows {
  int64_t outer = 1, rows = 1, inner = 1, targets = 1;
  bool by_element = false;
  Combination combination = Combination::kReplace;
};

// `data` with rows written, one target after another: a step over all rows for each. Returns
// [outer, rows, inner]. Not of kMean.
plan::ValueId EmitComputedRows(plan::Builder& builder, const ComputedRows& rows,
                               plan::ValueId numbers, plan::ValueId updates, plan::ValueId data);

// The same for every combination, as [outer, rows, inner]. Elements that meet an update start from
// it where `with_data` is false.
plan::ValueId EmitCombinedRows(plan::Builder& builder, const ComputedRows& rows,
                               plan::ValueId numbers, plan::ValueId updates, plan::ValueId data,
                               bool with_data);

// Output 0 is input 0 with rows written so. Elements that meet an update start from it where
// `with_data` is false.
void WriteComputedRows(LowerScope& scope, const ComputedRows& rows, plan::ValueId numbers,
                       plan::ValueId updates, bool with_data = true);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SCATTER_ROWS_H_
