// SPDX-License-Identifier: Apache-2.0
// OneHot: the indices are compared with 0, 1, ... depth - 1 along a new axis, and each result
// selects one of two values. An index out of range, negative ones included, matches nothing.
#include "converter/base/narrow.h"
#include "converter/ops/axes.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/families.h"
#include "converter/ops/movement.h"
#include "converter/ops/places.h"

namespace weft::ops {
namespace {

// Where the new axis stands; depth places.
struct OneHotSpec {
  size_t axis = 0;
  int64_t depth = 0;
};

std::optional<OneHotSpec> ReadOneHotSpec(NodeScope& scope) {
  const std::optional<int64_t> depth = ControlInt(scope, 1, "depth");
  const int64_t axis = scope.attributes.Int("axis", -1);
  const int64_t rank = scope.rank(0) + 1;
  if (axis < -rank || axis >= rank) {
    scope.Fault("axis {} of a rank {} output; must be from {} to {}", axis, rank, -rank, rank - 1);
    return std::nullopt;
  }
  if (!depth) return std::nullopt;
  if (*depth < 0) {
    scope.Fault("depth is {}; must not be negative", *depth);
    return std::nullopt;
  }
  return OneHotSpec{WrappedAxis(axis, rank), *depth};
}

void InferOneHot(InferScope& scope) {
  const ElementType type = scope.input_element(0);
  if (type != ElementType::i32 && type != ElementType::i64) {
    scope.Fault("input 0 (indices) is {}; must be i32 or i64", Name(type));
  }
  for (const size_t value : {size_t{2}, size_t{3}}) {
    if (ElementCount(scope.input_dims(value)) == 1) continue;
    scope.Fault("input {} ({}) is {}; must be a scalar", value,
                value == 2 ? "on_value" : "off_value", ToString(scope.input_type(value)));
  }
  if (scope.input_type_name(2) != scope.input_type_name(3)) {
    scope.Fault("on_value is {} and off_value {}; must be of one type", scope.input_type_name(2),
                scope.input_type_name(3));
  }
  const bool whole = HasWholeBytes(scope, 2);
  const std::optional<OneHotSpec> spec = ReadOneHotSpec(scope);
  if (!spec || !whole || scope.failed()) return;
  Dims dims = scope.input_dims(0);
  dims.insert(dims.begin() + static_cast<Dims::difference_type>(spec->axis), spec->depth);
  scope.SetOutput(0, scope.input_element(2), std::move(dims));
  if (scope.input_widened(2) != nullptr) scope.SetWidened(0, scope.input_widened(2));
}

void LowerOneHot(LowerScope& scope) {
  const OneHotSpec spec = ReadOneHotSpec(scope).value();
  const TensorType& type = scope.output_type(0);
  const plan::ValueId y = scope.NewOutput(0);
  const int64_t count = ElementCount(type.dims).value_or(0);
  if (count == 0) return;
  const Dims& indices = scope.input_dims(0);
  const int64_t inner = ProductOf(indices, spec.axis, indices.size());
  format::CompareParams compare;
  compare.mutate_rank(3);
  WriteDims(compare.mutable_dims(), {ProductOf(indices, 0, spec.axis), spec.depth, inner});
  WriteDims(compare.mutable_a_strides(), {inner, 0, 1});
  WriteDims(compare.mutable_b_strides(), {0, 1, 0});
  compare.mutate_op(format::CompareOp::equal);
  compare.mutate_type(scope.input_element(0));
  const plan::ValueId is_place = scope.builder.Scratch({ElementType::boolean, type.dims});
  scope.builder.Emit(
      compare, {scope.input(0), PlaceNumbers(scope.builder, scope.input_element(0), spec.depth)},
      {is_place});
  format::SelectParams select;
  select.mutate_rank(1);
  WriteDims(select.mutable_dims(), {count});
  WriteDims(select.mutable_condition_strides(), {1});
  WriteDims(select.mutable_a_strides(), {0});
  WriteDims(select.mutable_b_strides(), {0});
  select.mutate_element_bytes(Narrow32(ElementBytes(type.type), "element bytes"));
  scope.builder.Emit(select, {is_place, scope.input(2), scope.input(3)}, {y});
}

void OneHotAxes(AxisScope& scope) {
  const int64_t rank = scope.rank(0) + 1;
  const auto added = static_cast<int64_t>(WrappedAxis(scope.attributes.Int("axis", -1), rank));
  for (int64_t axis = 0; axis < scope.rank(0); ++axis) {
    scope.Pair(0, axis, 0, axis + (axis >= added));
  }
}

constexpr Operation kOneHotRows[] = {
    {"OneHot", 1, 4, 4, InferOneHot, LowerOneHot, ShapedBy(OneHotAxes, 16)},
};

}  // namespace

std::span<const Operation> OneHotOperations() { return kOneHotRows; }

}  // namespace weft::ops
