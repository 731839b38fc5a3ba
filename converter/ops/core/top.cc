// SPDX-License-Identifier: Apache-2.0
// TopK: the k largest or smallest elements along one axis, and their indices. Equal elements keep
// the order of the axis, with and without the attribute stable. NaN ranks after every number.
#include "converter/ops/core/top.h"

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

struct TopSpec {
  int64_t k = 0;
  size_t axis = 0;
};

std::optional<TopSpec> ReadSpec(InferScope& scope) {
  const std::optional<int64_t> k = ControlInt(scope, 1, "k");
  scope.RequireAttributes({"axis"});
  const std::optional<int64_t> axis =
      scope.NormalAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  if (!k || !axis || scope.failed()) return std::nullopt;
  const int64_t dim = scope.input_dims(0)[static_cast<size_t>(*axis)];
  if (*k < 1 || *k > dim) {
    scope.Fault("k is {} on an axis of {}; must be from 1 to its extent", *k, dim);
    return std::nullopt;
  }
  return TopSpec{*k, static_cast<size_t>(*axis)};
}

bool IsMin(const NodeScope& scope) {
  constexpr std::string_view kModes[] = {"max", "min"};
  return scope.attributes.Choice("mode", "max", kModes) == "min";
}

// Returns true if results are sorted by index. Without a requested order they are sorted by value.
bool IsByIndex(const NodeScope& scope) {
  constexpr std::string_view kSorts[] = {"value", "index", "none"};
  return scope.attributes.Choice("sort", "value", kSorts) == "index";
}

void InferTop(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckNumeric(scope, kX);
  const ElementType index_type = IndexTypeOf(scope, "index_element_type", "i32");
  IsMin(scope);
  IsByIndex(scope);
  const std::optional<TopSpec> spec = ReadSpec(scope);
  if (!spec) return;
  Dims dims = scope.input_dims(0);
  dims[spec->axis] = spec->k;
  scope.SetOutput(0, scope.input_element(0), dims);
  if (scope.output_count() > 1) scope.SetOutput(1, index_type, dims);
}

// A value for output i, even if nothing reads it.
program::ValueId ResultOf(LowerScope& scope, size_t i, const TensorType& type) {
  return i < scope.node().outputs.size() ? scope.NewOutput(i) : scope.builder.Scratch(type);
}

void LowerTop(LowerScope& scope) {
  const Dims& dims = scope.input_dims(0);
  const Dims results = scope.output_type(0).dims;
  const size_t axis = WrappedAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  const program::ValueId values = scope.NewOutput(0);
  const program::ValueId indices = ResultOf(scope, 1, {ElementType::i32, results});
  EmitTop(scope.builder,
          {ProductOf(dims, 0, axis), dims[axis], ProductOf(dims, axis + 1, dims.size()),
           results[axis], IsMin(scope), IsByIndex(scope)},
          scope.input(0), values, indices);
}

void TopAxes(AxisScope& scope) {
  const std::vector<bool> only = OnlyAxis(scope, scope.attributes.Int("axis", 0));
  for (size_t axis = 0; axis < only.size(); ++axis) {
    const auto at = static_cast<int64_t>(axis);
    if (only[axis] || !scope.Pair(0, at, 0, at)) continue;
    if (scope.node().outputs.size() > 1) scope.relation.groups.back().push_back({true, 1, at});
  }
  scope.relation.reason = "selects among time steps";
}

constexpr Traits kTop = {.axes = TopAxes, .steering = Steering::kShape, .steered_from = 1};

constexpr Operation kTopRows[] = {
    {"TopK", 1, 2, 2, InferTop, LowerNarrow<LowerTop, ElementType::i16>, kTop},
    {"TopK", 3, 2, 2, InferTop, LowerNarrow<LowerTop, ElementType::i16>, kTop},
    {"TopK", 11, 2, 2, InferTop, LowerNarrow<LowerTop, ElementType::i16>, kTop},
};

}  // namespace

std::span<const Operation> TopOperations() { return kTopRows; }

void EmitTop(program::Builder& builder, const TopGeometry& geometry, program::ValueId x,
             program::ValueId values, program::ValueId indices) {
  const format::TopParams params(Narrow32(geometry.outer, "outer"), Narrow32(geometry.axis, "axis"),
                                 Narrow32(geometry.inner, "inner"), Narrow32(geometry.k, "k"),
                                 builder.type(x), builder.type(indices), geometry.min,
                                 geometry.by_index);
  builder.Emit(params, {x}, {values, indices});
}

program::ValueId EmitFirstTrue(program::Builder& builder, int64_t outer, int64_t axis,
                               int64_t inner, program::ValueId x) {
  const Dims dims = {outer, inner};
  const program::ValueId has_one = builder.Scratch({ElementType::u8, dims});
  const program::ValueId first = builder.Scratch({ElementType::i32, dims});
  EmitTop(builder, {.outer = outer, .axis = axis, .inner = inner},
          Converted(builder, x, ElementType::u8), has_one, first);
  const program::ValueId y = builder.Scratch({ElementType::i32, dims});
  EmitSelect(builder, {Converted(builder, has_one, ElementType::boolean), dims}, {first, dims},
             {IntegerWeights(builder, ElementType::i32, {axis}), {1, 1}}, {y, dims});
  return y;
}

program::ValueId EmitArgSort(program::Builder& builder, program::ValueId x) {
  const TensorType type = builder.value(x).type;
  const int64_t count = ElementCount(type.dims).value_or(0);
  const program::ValueId values = builder.Scratch({type.type, {count}});
  const program::ValueId positions = builder.Scratch({ElementType::i32, {count}});
  EmitTop(builder, {1, count, 1, count, true, false}, x, values, positions);
  return positions;
}

}  // namespace weft::ops
