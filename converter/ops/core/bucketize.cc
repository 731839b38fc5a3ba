// SPDX-License-Identifier: Apache-2.0
// Bucketize and SearchSorted: the index of a number in a sorted line is the number of elements that
// are less than it, or not greater. Each number is compared with all elements, and the true results
// are counted.
#include <algorithm>

#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::CompareOp;

// The type in which numbers of two types are compared, by C's conversion rules: integers compared
// with floats are rounded to f32.
ElementType ComparedType(ElementType a, ElementType b) {
  if (a == b) return a;
  if (IsFloat(a) || IsFloat(b)) return ElementType::f32;
  const bool is_wide = a == ElementType::i64 || b == ElementType::i64;
  return is_wide ? ElementType::i64 : ElementType::i32;
}

// Bucketize

void InferBucketize(InferScope& scope) {
  constexpr size_t kX[] = {0}, kBuckets[] = {1};
  CheckNumeric(scope, kX);
  CheckNumeric(scope, kBuckets);
  if (scope.rank(1) != 1) {
    scope.Fault("buckets are {}; must have one axis", ToString(scope.input_type(1)));
  }
  scope.attributes.Bool("with_right_bound", true);
  scope.SetOutput(0, IndexTypeOf(scope, "output_type"), scope.input_dims(0));
}

void LowerBucketize(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  const program::ValueId y = scope.NewOutput(0);
  const int64_t buckets = scope.input_dims(1)[0];
  if (buckets == 0) return builder.Fill(y);
  Dims x_dims = type.dims, bucket_dims(type.dims.size(), 1);
  x_dims.push_back(1);
  bucket_dims.push_back(buckets);
  const ElementType compared = ComparedType(scope.input_element(0), scope.input_element(1));
  const Operand x = {Converted(builder, scope.input(0), compared), x_dims};
  const Operand bounds = {Converted(builder, scope.input(1), compared), bucket_dims};
  const bool closes_right = scope.attributes.Bool("with_right_bound", true);
  const CompareOp op = closes_right ? CompareOp::less : CompareOp::greater;
  const program::ValueId count =
      EmitCount(builder, Compared(builder, op, bounds, x).value, type.type);
  if (closes_right) return builder.Copy(count, y);
  // The complement counts the bounds that are not greater, so that a NaN comes after all of them.
  const program::ValueId total = IntegerWeights(builder, type.type, {buckets});
  EmitBinary(builder, BinaryOp::subtract, {total, Dims(type.dims.size(), 1)}, {count, type.dims},
             y);
}

void BucketizeAxes(AxisScope& scope) {
  scope.Same(0, 0);
  scope.relation.reason = "searches along time";
}

// SearchSorted

void InferSearch(InferScope& scope) {
  CheckNumeric(scope, kBoth);
  const Dims& sorted = scope.input_dims(0);
  const Dims& values = scope.input_dims(1);
  const bool leads = sorted.size() == values.size() && !sorted.empty() &&
                     std::equal(sorted.begin(), sorted.end() - 1, values.begin());
  if (sorted.size() != 1 && !leads) {
    scope.Fault("{} is searched for {}; must have one axis, or equal axes except the last",
                ToString(scope.input_type(0)), ToString(scope.input_type(1)));
  }
  scope.attributes.Bool("right_mode", false);
  scope.SetOutput(0, IndexTypeOf(scope, "output_type"), values);
}

void LowerSearch(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  const program::ValueId y = scope.NewOutput(0);
  Dims sorted = scope.input_dims(0);
  if (sorted.back() == 0) return builder.Fill(y);
  Dims x_dims = type.dims;
  if (sorted.size() == 1)
    sorted.insert(sorted.begin(), type.dims.size(), 1);
  else
    sorted.insert(sorted.end() - 1, 1);
  x_dims.push_back(1);
  const CompareOp op =
      scope.attributes.Bool("right_mode", false) ? CompareOp::less_equal : CompareOp::less;
  const Operand lines = {scope.input(0), sorted}, x = {scope.input(1), x_dims};
  builder.Copy(EmitCount(builder, Compared(builder, op, lines, x).value, type.type), y);
}

void SearchAxes(AxisScope& scope) {
  const int64_t rank = scope.rank(1);
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!scope.Pair(1, axis, 0, axis) || scope.rank(0) != rank || axis + 1 == rank) continue;
    scope.relation.groups.back().push_back({false, 0, axis});
  }
  scope.relation.reason = "searches along time";
}

constexpr Operation kBucketizeRows[] = {
    {"Bucketize", 3, 2, 2, InferBucketize, LowerNarrow<LowerBucketize, ElementType::i16>,
     Apart(BucketizeAxes)},
    {"SearchSorted", 15, 2, 2, InferSearch, LowerNarrow<LowerSearch, ElementType::i16>,
     Apart(SearchAxes)},
};

}  // namespace

std::span<const Operation> BucketizeOperations() { return kBucketizeRows; }

}  // namespace weft::ops
