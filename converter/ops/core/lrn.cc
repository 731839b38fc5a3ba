// SPDX-License-Identifier: Apache-2.0
// LRN: x / (bias + alpha * mean of x^2 over a window)^beta. Positions outside the borders count as
// zeros in the mean. Windows over several axes are means of means, one pool step per axis.
#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/window.h"

namespace weft::ops {
namespace {

using format::BinaryOp;

void InferLrn(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, {ElementType::f32});
  if (scope.rank(0) < 1) scope.Fault("input 0 is a scalar; must have rank 1 or more");
  for (const int64_t axis : ControlInts(scope, 1, "axes").value_or(Dims())) {
    scope.NormalAxis(axis, scope.rank(0));
  }
  scope.RequireAttributes({"alpha", "beta", "bias", "size"});
  const int64_t size = scope.attributes.Int("size", 1);
  if (size < 1) scope.Fault("attribute size is {}; must be at least 1", size);
  scope.SetOutput(0, scope.input_type(0));
}

// y = the mean of x over the 2 * reach + 1 positions around each position of an axis.
void EmitMeanAround(program::Builder& builder, program::ValueId x, size_t axis, int64_t reach,
                    program::ValueId y) {
  const Dims& dims = builder.dims(x);
  const uint32_t height = Narrow32(dims[axis], "height");
  const uint32_t width = Narrow32(ProductOf(dims, axis + 1, dims.size()), "width");
  const uint32_t pad = Narrow32(reach, "pad");
  format::PoolParams params;
  params.mutate_batch(Narrow32(ProductOf(dims, 0, axis), "planes"));
  params.mutate_channels(1);
  params.mutate_in_height(height);
  params.mutate_out_height(height);
  params.mutate_in_width(width);
  params.mutate_out_width(width);
  params.mutate_kernel_height(Narrow32(2 * reach + 1, "kernel height"));
  params.mutate_kernel_width(1);
  params.mutate_stride_y(1);
  params.mutate_stride_x(1);
  params.mutate_dilation_y(1);
  params.mutate_dilation_x(1);
  params.mutate_pad_top(pad);
  params.mutate_pad_bottom(pad);
  params.mutable_x() = params.mutable_y() = PlanesOf(1, height, width);
  params.mutate_op(format::PoolOp::mean_include_pad);
  builder.Emit(params, {x}, {y});
}

void LowerLrn(LowerScope& scope) {
  const TensorType& type = scope.output_type(0);
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const int64_t size = scope.attributes.Int("size", 1);
  program::ValueId mean = builder.Scratch(type);
  EmitBinary(builder, BinaryOp::multiply, x, x, mean);
  // The pool step divides by 2 * reach + 1, the specification by `size`. The factor corrects this
  // for an even size, and for a window that exceeds the axis on both sides and is clipped.
  double factor = scope.attributes.Float("alpha", 0);
  const std::vector<bool> along = NamedAxes(scope, 1);
  for (size_t axis = 0; axis < along.size(); ++axis) {
    if (!along[axis]) continue;
    const int64_t reach = std::min((size - 1) / 2, type.dims[axis] - 1);
    factor *= static_cast<double>(2 * reach + 1) / static_cast<double>(size);
    if (reach == 0) continue;
    const program::ValueId next = builder.Scratch(type);
    EmitMeanAround(builder, mean, axis, reach, next);
    mean = next;
  }
  const auto with = [&](BinaryOp op, const Operand& a, float number) {
    return Combined(builder, op, a, FloatNumber(builder, number, type.dims.size()));
  };
  const Operand scaled = with(BinaryOp::multiply, {mean, type.dims}, static_cast<float>(factor));
  const Operand base = with(BinaryOp::add, scaled, scope.attributes.Float("bias", 0));
  const Operand power = with(BinaryOp::power, base, scope.attributes.Float("beta", 0));
  EmitBinary(builder, BinaryOp::divide, {x, type.dims}, power, y);
}

void LrnAxes(AxisScope& scope) {
  scope.Same(0, 0, NamedAxes(scope, 1));
  scope.relation.reason = "normalises over adjacent time steps";
}

constexpr Operation kLrnRows[] = {{"LRN", 1, 2, 2, InferLrn, LowerLrn, Apart(LrnAxes)}};

}  // namespace

std::span<const Operation> LrnOperations() { return kLrnRows; }

}  // namespace weft::ops
