// SPDX-License-Identifier: Apache-2.0
// OneHot: compares the indices with 0, 1, ... depth - 1 along a new axis; each result selects one
// of two values. An index out of range matches nothing. In version 16 an attribute can make
// negative indices count from the end.
#include <string_view>
#include <utility>

#include "converter/ops/core/row_numbers.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

// The new axis and its extent.
struct OneHotSpec {
  size_t axis = 0;
  int64_t depth = 0;
};

std::optional<OneHotSpec> ReadOneHotSpec(NodeScope& scope) {
  const std::optional<int64_t> depth = ControlInt(scope, 1, "depth");
  const std::optional<int64_t> axis =
      scope.NormalAxis(scope.attributes.Int("axis", -1), scope.rank(0) + 1);
  if (!axis || !depth) return std::nullopt;
  if (*depth < 0) {
    scope.Fault("depth is {}; must not be negative", *depth);
    return std::nullopt;
  }
  return OneHotSpec{static_cast<size_t>(*axis), *depth};
}

void InferOneHot(InferScope& scope) {
  CheckIndexType(scope, 0);
  for (const size_t value : {size_t{2}, size_t{3}}) {
    if (ElementCount(scope.input_dims(value)) == 1) continue;
    scope.Fault("input {} ({}) is {}; must be a scalar", value,
                value == 2 ? "on_value" : "off_value", ToString(scope.input_type(value)));
  }
  if (scope.input_type_name(2) != scope.input_type_name(3)) {
    scope.Fault("on_value is {} and off_value is {}; both must have the same type",
                scope.input_type_name(2), scope.input_type_name(3));
  }
  const bool whole = HasByteElements(scope, 2);
  const std::optional<OneHotSpec> spec = ReadOneHotSpec(scope);
  if (!spec || !whole || scope.failed()) return;
  Dims dims = scope.input_dims(0);
  dims.insert(dims.begin() + static_cast<Dims::difference_type>(spec->axis), spec->depth);
  scope.SetOutput(0, scope.input_element(2), std::move(dims));
  if (scope.input_widened(2) != nullptr) scope.SetWidened(0, scope.input_widened(2));
}

// Returns true if a negative index counts from the end of the new axis.
bool CountsFromEnd(const NodeScope& scope) {
  constexpr std::string_view kNegativeModes[] = {"ignore_negative", "normalize"};
  return scope.attributes.Choice("negative_indices_mode", "ignore_negative", kNegativeModes) ==
         "normalize";
}

void InferOneHotOfMode(InferScope& scope) {
  CountsFromEnd(scope);
  InferOneHot(scope);
}

template <bool has_mode>
void LowerOneHot(LowerScope& scope) {
  const OneHotSpec spec = ReadOneHotSpec(scope).value();
  const TensorType type = scope.output_type(0);
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const bool from_end = has_mode && CountsFromEnd(scope);
  program::ValueId indices = scope.input(0);
  if (from_end) indices = EmitFromStart(builder, indices, spec.depth);
  const size_t rank = type.dims.size();
  Dims repeated = type.dims, along(rank, 1);
  repeated[spec.axis] = 1;
  along[spec.axis] = spec.depth;
  const program::ValueId is_position = builder.Scratch({ElementType::boolean, type.dims});
  const program::ValueId positions = IndexSequence(builder, scope.input_element(0), spec.depth);
  EmitCompare(builder, format::CompareOp::equal, {indices, repeated}, {positions, along},
              is_position);
  const Operand on = {scope.input(2), Dims(rank, 1)}, off = {scope.input(3), Dims(rank, 1)};
  EmitSelect(builder, {is_position, type.dims}, on, off, {y, type.dims});
}

void OneHotAxes(AxisScope& scope) {
  const int64_t rank = scope.rank(0) + 1;
  const auto added = static_cast<int64_t>(WrappedAxis(scope.attributes.Int("axis", -1), rank));
  for (int64_t axis = 0; axis < scope.rank(0); ++axis) {
    scope.Pair(0, axis, 0, axis + (axis >= added));
  }
}

constexpr Operation kOneHotRows[] = {
    {"OneHot", 1, 4, 4, InferOneHot, LowerOneHot<false>, ShapedBy(OneHotAxes)},
    {"OneHot", 16, 4, 4, InferOneHotOfMode, LowerOneHot<true>, ShapedBy(OneHotAxes)},
};

}  // namespace

std::span<const Operation> OneHotOperations() { return kOneHotRows; }

}  // namespace weft::ops
