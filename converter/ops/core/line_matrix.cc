// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/line_matrix.h"

#include "converter/ops/support/movement.h"
#include "converter/ops/support/packed.h"

namespace weft::ops {
namespace {

// Moves the lines along `axis` after all other axes, or back.
void MoveLines(program::Builder& builder, const NumberTensor& x, size_t axis, bool back,
               program::ValueId source, program::ValueId target) {
  const int64_t outer = ProductOf(x.dims, 0, axis), positions = x.dims[axis];
  const int64_t inner = ProductOf(x.dims, axis + 1, x.dims.size());
  const int64_t whole = positions * inner * x.parts;
  const Dims as_lines = {whole, x.parts, positions * x.parts, 1};
  const Dims as_axis = {whole, inner * x.parts, x.parts, 1};
  builder.CopyStrided(source, target, {outer, positions, inner, x.parts}, back ? as_lines : as_axis,
                      0, back ? as_axis : as_lines, 0);
}

}  // namespace

bool CheckMatrix(InferScope& scope, int64_t inputs, int64_t outputs) {
  const std::optional<int64_t> weights = CheckedProduct(inputs, outputs);
  if (weights && *weights <= kMaxMatrixWeights) return true;
  scope.Fault("maps lines of {} numbers to {} by a matrix; must have at most {} weights", inputs,
              outputs, kMaxMatrixWeights);
  return false;
}

void EmitMatrix(program::Builder& builder, const LineMatrix& matrix, int64_t rows,
                int64_t x_row_stride, program::ValueId x, program::ValueId y) {
  const program::ValueId weights =
      PackDense(builder, matrix.weights, matrix.inputs, 1, matrix.outputs, matrix.inputs);
  EmitDense(builder, rows, matrix.inputs, matrix.outputs, x, weights, y, x_row_stride);
  ExcludeLastStepFromFusion(builder);
  KeepLastStepFloat(builder);
}

NumberTensor EmitAlong(program::Builder& builder, const NumberTensor& x, size_t axis,
                       int64_t outputs, int64_t parts, const LineEmitter& emit,
                       program::ValueId y) {
  NumberTensor result{y, x.dims, parts};
  result.dims[axis] = outputs / parts;
  Dims dims = result.dims;
  dims.push_back(parts);
  const TensorType type = {ElementType::f32, dims};
  if (y == program::kNone) result.value = builder.Scratch(type);
  const bool is_apart = ProductOf(x.dims, axis + 1, x.dims.size()) != 1;
  program::ValueId lines = x.value, mapped = result.value;
  if (is_apart) {
    lines = builder.Scratch(builder.value(x.value).type);
    mapped = builder.Scratch(type);
    MoveLines(builder, x, axis, false, x.value, lines);
  }
  const int64_t row_stride = x.dims[axis] * x.parts;
  emit(*ElementCount(x.dims) / x.dims[axis], row_stride, lines, mapped);
  if (is_apart) MoveLines(builder, result, axis, true, mapped, result.value);
  return result;
}

NumberTensor EmitAlong(program::Builder& builder, const NumberTensor& x, size_t axis,
                       const LineMatrix& matrix, int64_t parts, program::ValueId y) {
  const auto emit = [&](int64_t rows, int64_t x_row_stride, program::ValueId from,
                        program::ValueId to) {
    EmitMatrix(builder, matrix, rows, x_row_stride, from, to);
  };
  return EmitAlong(builder, x, axis, matrix.outputs, parts, emit, y);
}

}  // namespace weft::ops
