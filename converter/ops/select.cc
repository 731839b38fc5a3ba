// SPDX-License-Identifier: Apache-2.0
// Choice between two tensors by a boolean third.
#include <algorithm>
#include <array>

#include "converter/base/narrow.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/families.h"

namespace weft::ops {
namespace {

constexpr size_t kCondition = 0, kThenValue = 1, kElseValue = 2;

// The order matters to pdpd alone: there the then-tensor has the shape of the output.
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
  const TensorType& type = scope.output_type(0);
  const plan::ValueId y = scope.NewOutput(0);
  if (std::ranges::find(type.dims, 0) != type.dims.end()) return;
  const Walk walk = CollapsedWalk(type.dims, std::array{AlignedDims(scope, kCondition, type.dims),
                                                        AlignedDims(scope, kThenValue, type.dims),
                                                        AlignedDims(scope, kElseValue, type.dims)});
  format::SelectParams params;
  params.mutate_rank(Narrow32(walk.dims.size(), "rank"));
  WriteDims(params.mutable_dims(), walk.dims);
  WriteDims(params.mutable_condition_strides(), walk.strides[kCondition]);
  WriteDims(params.mutable_a_strides(), walk.strides[kThenValue]);
  WriteDims(params.mutable_b_strides(), walk.strides[kElseValue]);
  params.mutate_element_bytes(Narrow32(ElementBytes(type.type), "element bytes"));
  scope.builder.Emit(
      params, {scope.input(kCondition), scope.input(kThenValue), scope.input(kElseValue)}, {y});
}

constexpr Operation kSelectRows[] = {{"Select", 1, 3, 3, InferSelect, LowerSelect, kPointwise}};

}  // namespace

std::span<const Operation> SelectOperations() { return kSelectRows; }

}  // namespace weft::ops
