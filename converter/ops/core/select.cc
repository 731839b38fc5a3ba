// SPDX-License-Identifier: Apache-2.0
// Select: chooses between two tensors by a boolean third.
#include <algorithm>
#include <array>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/scalars.h"

namespace weft::ops {
namespace {

constexpr size_t kCondition = 0, kThenValue = 1, kElseValue = 2;

// Only pdpd broadcasting depends on the order: the then-tensor has the shape of the output.
constexpr size_t kByRole[] = {kThenValue, kElseValue, kCondition};

void InferSelect(InferScope& scope) {
  constexpr size_t kConditionOnly[] = {kCondition};
  constexpr size_t kBranches[] = {kThenValue, kElseValue};
  CheckElements(scope, kConditionOnly, {ElementType::boolean});
  CheckElements(scope, kBranches,
                {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::f64,
                 ElementType::i8, ElementType::u8, ElementType::i16, ElementType::i32,
                 ElementType::i64, ElementType::boolean});
  if (const std::optional<Dims> dims = BroadcastDims(scope, kByRole)) {
    scope.SetOutput(0, scope.input_element(kThenValue), *dims);
  }
}

void LowerSelect(LowerScope& scope) {
  const Dims& out = scope.output_type(0).dims;
  const Operand y{scope.NewOutput(0), out};
  const auto aligned = [&](size_t i) {
    return Operand{scope.input(i), AlignedDims(scope, i, out)};
  };
  const Operand condition = aligned(kCondition);
  const Operand a = aligned(kThenValue);
  EmitSelect(scope.builder, condition, a, aligned(kElseValue), y);
}

std::optional<int64_t> ScalarSelected(const ir::Node&, Scalars inputs) {
  if (inputs.size() != 3 || !inputs[0]) return std::nullopt;
  return *inputs[0] != 0 ? inputs[1] : inputs[2];
}

constexpr Operation kSelectRows[] = {
    {"Select", 1, 3, 3, InferSelect, LowerSelect, PointwiseBy(ScalarSelected)}};

}  // namespace

std::span<const Operation> SelectOperations() { return kSelectRows; }

void EmitSelect(program::Builder& builder, const Operand& condition, const Operand& a,
                const Operand& b, const Operand& y) {
  if (std::ranges::find(y.dims, 0) != y.dims.end()) return;
  const StridedNest nest = CollapsedNest(y.dims, std::array{condition.dims, a.dims, b.dims});
  format::SelectParams params;
  params.mutate_rank(Narrow32(nest.dims.size(), "rank"));
  WriteDims(params.mutable_dims(), nest.dims);
  WriteDims(params.mutable_condition_strides(), nest.strides[0]);
  WriteDims(params.mutable_a_strides(), nest.strides[1]);
  WriteDims(params.mutable_b_strides(), nest.strides[2]);
  params.mutate_element_bytes(Narrow32(ElementBytes(builder.type(y.value)), "element bytes"));
  builder.Emit(params, {condition.value, a.value, b.value}, {y.value});
}

Operand Selected(program::Builder& builder, const Operand& condition, const Operand& a,
                 const Operand& b) {
  const Dims dims = BroadcastOf(BroadcastOf(condition.dims, a.dims), b.dims);
  const Operand y = {builder.Scratch({builder.type(a.value), dims}), dims};
  EmitSelect(builder, condition, a, b, y);
  return y;
}

}  // namespace weft::ops
