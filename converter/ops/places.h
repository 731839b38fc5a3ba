// SPDX-License-Identifier: Apache-2.0
// Places of an axis by index, for the families that gather and scatter. Indices known at conversion
// become places: a view or copies where these form a few runs, else a gather step with a table.
// Values belong to the builder; a negative index counts from the end of its axis.
#ifndef WEFT_CONVERTER_OPS_PLACES_H_
#define WEFT_CONVERTER_OPS_PLACES_H_

#include <cstdint>
#include <span>

#include "converter/ops/movement.h"
#include "converter/ops/operation.h"

namespace weft::ops {

// Up to here copies of runs are cheaper than a gather step with its indices.
inline constexpr size_t kMostRuns = 4;

// Of a gather step: x is [batch, outer, axis, inner], the indices are [batch, indices] and y is
// [batch, outer, indices, inner].
struct GatherGeometry {
  int64_t batch = 1, outer = 1, axis = 1, inner = 1, indices = 1;
};

// An index out of range yields zeros.
void EmitGather(plan::Builder& builder, const GatherGeometry& geometry, plan::ValueId x,
                plan::ValueId indices, plan::ValueId y);

// The same by places of the axis that are known; one outside it yields zeros too.
void EmitKnownGather(plan::Builder& builder, const GatherGeometry& geometry, plan::ValueId x,
                     const Dims& places, plan::ValueId y);

// Output 0 takes these places of input 0, all of them inside the axis: [batch, indices].
void TakePlaces(LowerScope& scope, const GatherGeometry& geometry, const Dims& places);

// The same of a value with elements of whole bytes and without a batch.
plan::ValueId PlacesOf(plan::Builder& builder, plan::ValueId x, const GatherGeometry& geometry,
                       const Dims& places);

// y[outer, inner, axis] = x[outer, axis, inner], or the way back; `to` are the dims of the first.
void EmitTurned(plan::Builder& builder, plan::ValueId x, const Dims& to, bool back,
                plan::ValueId y);

// Whole numbers as a constant of i32 or i64.
plan::ValueId IntegerWeights(plan::Builder& builder, ElementType type, const Dims& numbers);

// 0, 1, ... count - 1 as such a constant.
plan::ValueId PlaceNumbers(plan::Builder& builder, ElementType type, int64_t count);

// Input i is of i32 or i64; else a fault.
void CheckIndexType(InferScope& scope, size_t i);

// Is `index` inside an axis of `dim`? Else a fault.
bool CheckIndex(InferScope& scope, int64_t index, int64_t dim);

// Indices with a place for each element of a tensor of `dims`: where each of them points in the
// flattened `data`, its other coordinates being those of the index itself.
Dims ElementPlaces(const Dims& data, size_t axis, const Dims& dims, const Dims& indices);

// Indices of `dims`, whose last axis holds one tuple for the axes of `data` behind the first
// `batch_dims`, which both share: the number of each tuple's row in the flattened `data`.
Dims TuplePlaces(const Dims& data, size_t batch_dims, const Dims& dims, const Dims& indices);

// Places of single elements, seen as places of the longest rows that stay together.
struct PlacedRows {
  int64_t inner = 1;
  Dims places;
};

// `dims` is the shape of the places, which lie in a tensor of `total` elements.
PlacedRows RowsOfPlaces(const Dims& places, const Dims& dims, int64_t total);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_PLACES_H_
