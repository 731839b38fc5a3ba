// SPDX-License-Identifier: Apache-2.0
// Positions of an axis selected by index; shared by the gather and scatter families. Indices that
// are known at conversion become a view or copies if they form a few runs, else a gather step with
// a table. Values belong to the builder. A negative index counts from the end of its axis.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_POSITIONS_H_
#define WEFT_CONVERTER_OPS_SUPPORT_POSITIONS_H_

#include <cstdint>
#include <span>

#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {

// Up to this many runs, copies are cheaper than a gather step with its indices.
inline constexpr size_t kMaxRuns = 4;

// Extents of a gather step: x is [batch, outer, axis, inner], the indices are [batch, indices] and
// y is [batch, outer, indices, inner].
struct GatherGeometry {
  int64_t batch = 1, outer = 1, axis = 1, inner = 1, indices = 1;
};

// Emits a gather step. An index out of range yields zeros.
void EmitGather(program::Builder& builder, const GatherGeometry& geometry, program::ValueId x,
                program::ValueId indices, program::ValueId y);

// Emits a gather step with known, non-negative indices; one outside the axis yields zeros.
void EmitKnownGather(program::Builder& builder, const GatherGeometry& geometry, program::ValueId x,
                     const Dims& positions, program::ValueId y);

// Lowers output 0 to input 0 at the positions `positions` of the axis, [batch, indices]. All are
// inside the axis.
void SelectPositions(LowerScope& scope, const GatherGeometry& geometry, const Dims& positions);

// Returns x at the positions `positions` of the axis, without a batch. Elements of x must be 1 byte
// or larger.
program::ValueId PositionsOf(program::Builder& builder, program::ValueId x,
                             const GatherGeometry& geometry, const Dims& positions);

// y[outer, inner, axis] = x[outer, axis, inner], or the inverse if `back`. `to` are the dims
// [outer, inner, axis].
void EmitPermuted(program::Builder& builder, program::ValueId x, const Dims& to, bool back,
                  program::ValueId y);

// Integers as a constant of type i32 or i64.
program::ValueId IntegerWeights(program::Builder& builder, ElementType type, const Dims& numbers);

// 0, 1, ... count - 1 as a constant of type i32 or i64.
program::ValueId IndexSequence(program::Builder& builder, ElementType type, int64_t count);

// Reports an error unless input i, called `what`, has type i32 or i64.
void CheckIndexType(InferScope& scope, size_t i, std::string_view what = "indices");
// Returns the type that an attribute names, i32 or i64.
ElementType IndexTypeOf(const NodeScope& scope, std::string_view key,
                        std::string_view fallback = "i64");

// Returns true if `index` is inside an axis of extent `dim`; else reports an error.
bool CheckIndex(InferScope& scope, int64_t index, int64_t dim);

// Offset in the flattened `data` for each element of `indices`, which has shape `dims`. The index
// replaces the coordinate along `axis`; the other coordinates are those of the index element.
Dims ElementOffsets(const Dims& data, size_t axis, const Dims& dims, const Dims& indices);

// Row number in the flattened `data` for each index tuple. `indices` has shape `dims`; its last
// axis holds one tuple for the axes of `data` after the first `batch_dims`, which data and indices
// share.
Dims TupleRows(const Dims& data, size_t batch_dims, const Dims& dims, const Dims& indices);

// Rows of `inner` adjacent elements: the longest into which a list of element offsets can be
// grouped.
struct GroupedRows {
  int64_t inner = 1;
  Dims positions;
};

// `dims` is the shape of `positions`, which are offsets in a tensor of `total` elements.
GroupedRows GroupRows(const Dims& positions, const Dims& dims, int64_t total);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_POSITIONS_H_
