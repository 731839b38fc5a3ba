// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm along one axis.
#include "converter/ops/core/softmax.h"

#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

constexpr int64_t kDefaultAxis = 1;

int64_t SoftmaxAxis(const NodeScope& scope) {
  const int64_t axis = scope.attributes.Int("axis", kDefaultAxis);
  return axis < 0 ? axis + scope.rank(0) : axis;
}

void InferSoftmax(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, {ElementType::f32});
  scope.NormalAxis(scope.attributes.Int("axis", kDefaultAxis), scope.rank(0));
  scope.SetOutput(0, scope.input_type(0));
}

// Version 1 allows only non-negative axes.
void InferFirst(InferScope& scope) {
  const int64_t axis = scope.attributes.Int("axis", kDefaultAxis);
  if (axis < 0) scope.Fault("axis is {}; must not be negative before opset8", axis);
  InferSoftmax(scope);
}

// Softmax, or its logarithm, along an axis whose elements are adjacent in memory. The sum is one
// chain, as it is if later axes have larger extents: one of them may be the time steps of a call,
// whose number must not change the order. Formula and roundings are those of
// kernels/reduce/softmax.h.
void EmitChained(program::Builder& builder, size_t axis, SoftmaxForm form, program::ValueId x,
                 program::ValueId y) {
  using format::BinaryOp;
  const TensorType type = builder.value(y).type;
  const Dims& dims = type.dims;
  TensorType of_rows = type;
  of_rows.dims[axis] = 1;
  const Dims& rows = of_rows.dims;
  const ReduceAxis axes[] = {{ProductOf(dims, 0, axis), dims[axis], false}, {dims[axis], 1, true}};
  const std::vector<ReduceAxis> collapsed = CollapsedAxes(axes);
  const program::ValueId largest = builder.Scratch(of_rows), sum = builder.Scratch(of_rows);
  const program::ValueId difference = builder.Scratch(type), power = builder.Scratch(type);
  EmitReduce(builder, format::ReduceOp::max, collapsed, x, largest);
  EmitBinary(builder, BinaryOp::subtract, {x, dims}, {largest, rows}, difference);
  EmitUnary(builder, format::UnaryOp::exp, difference, power);
  EmitReduce(builder, format::ReduceOp::sum, collapsed, power, sum, format::ReduceOrder::chains);
  const program::ValueId of_sum = builder.Scratch(of_rows);
  if (form == SoftmaxForm::kLogarithm) {
    EmitUnary(builder, format::UnaryOp::log, sum, of_sum);
    return EmitBinary(builder, BinaryOp::subtract, {difference, dims}, {of_sum, rows}, y);
  }
  const program::ValueId one = builder.WeightsOf<float>({type.type, {1}}, {1.0f});
  EmitBinary(builder, BinaryOp::divide, {one, Dims(rows.size(), 1)}, {sum, rows}, of_sum);
  EmitBinary(builder, BinaryOp::multiply, {power, dims}, {of_sum, rows}, y);
}

template <SoftmaxForm form>
void LowerSoftmax(LowerScope& scope) {
  const Dims& dims = scope.input_dims(0);
  const program::ValueId y = scope.NewOutput(0);
  if (std::ranges::find(dims, 0) != dims.end()) return;
  const auto axis = static_cast<size_t>(SoftmaxAxis(scope));
  const bool in_a_run = ProductOf(dims, axis + 1, dims.size()) == 1;
  // A sum of two elements has only one order.
  if (!in_a_run || axis + 1 == dims.size() || dims[axis] <= 2) {
    return EmitSoftmax(scope.builder, axis, form, scope.input(0), y);
  }
  EmitChained(scope.builder, axis, form, scope.input(0), y);
}

void LowerShares(LowerScope& scope) {
  const bool is_causal = scope.attributes.Has(kOfTriangle);
  if (is_causal) return LowerSoftmax<SoftmaxForm::kCausal>(scope);
  LowerSoftmax<SoftmaxForm::kShares>(scope);
}

void SoftmaxAxes(AxisScope& scope) {
  std::vector<bool> summed = OnlyAxis(scope, scope.attributes.Int("axis", 1));
  // The row index decides how many elements of a row count.
  if (scope.attributes.Has(kOfTriangle)) summed.end()[-2] = true;
  scope.Same(0, 0, summed);
  scope.relation.summed = summed;
  scope.relation.keeps_order = true;
  scope.relation.reason = "normalises over time";
}

constexpr auto LowerLogarithm = LowerSoftmax<SoftmaxForm::kLogarithm>;

constexpr Operation kSoftmaxRows[] = {
    {"Softmax", 1, 1, 1, InferFirst, LowerShares, Apart(SoftmaxAxes)},
    {"Softmax", 8, 1, 1, InferSoftmax, LowerShares, Apart(SoftmaxAxes)},
    {"LogSoftmax", 5, 1, 1, InferSoftmax, LowerLogarithm, Apart(SoftmaxAxes)},
};

}  // namespace

std::span<const Operation> SoftmaxOperations() { return kSoftmaxRows; }

void EmitSoftmax(program::Builder& builder, size_t axis, SoftmaxForm form, program::ValueId x,
                 program::ValueId y) {
  const Dims& dims = builder.dims(y);
  format::SoftmaxParams params;
  params.mutate_outer(Narrow32(ProductOf(dims, 0, axis), "outer"));
  params.mutate_axis(Narrow32(dims[axis], "axis"));
  params.mutate_inner(Narrow32(ProductOf(dims, axis + 1, dims.size()), "inner"));
  params.mutate_logarithm(form == SoftmaxForm::kLogarithm);
  params.mutate_causal(form == SoftmaxForm::kCausal);
  builder.Emit(params, {x}, {y});
}

}  // namespace weft::ops
