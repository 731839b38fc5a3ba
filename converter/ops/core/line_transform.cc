// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/line_transform.h"

#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/core/fourier.h"
#include "converter/ops/support/movement.h"
#include "kernels/fourier/fourier_tables.h"

namespace weft::ops {
namespace {

constexpr int64_t kMaxTransformSize = int64_t{1} << 21;
// Below this number of weights a matrix is faster on a desktop and needs little more memory on a
// board (tests/bench). The first pass of the step has full vectors only if four is a factor.
constexpr int64_t kMinWeightsOfFours = 1024;
constexpr int64_t kMinWeights = 8192;

bool IsInverse(FourierOp op) { return op == FourierOp::kInverse || op == FourierOp::kInverseReal; }

kernels::FourierShape ShapeWithoutFactors(FourierOp op, int64_t size) {
  kernels::FourierShape shape;
  shape.op = op;
  shape.size = Narrow32(size, "transform size");
  return shape;
}

// The number of numbers in a complete line of x, and the number of floats per number.
int64_t FullLine(FourierOp op, int64_t size) {
  return op == FourierOp::kInverseReal ? size / 2 + 1 : size;
}
int64_t PartsOf(FourierOp op) { return op == FourierOp::kForwardReal ? 1 : 2; }

int64_t ResultFloats(FourierOp op, int64_t size) {
  if (op == FourierOp::kInverseReal) return size;
  return 2 * (op == FourierOp::kForwardReal ? size / 2 + 1 : size);
}

int64_t GivenFloats(FourierOp op, int64_t size, int64_t given) {
  return PartsOf(op) * std::min(given, FullLine(op, size));
}

// The shape of the step as far as the size determines it; nullopt if a matrix is used.
std::optional<kernels::FourierShape> FactoredShape(FourierOp op, int64_t size, int64_t given) {
  if (size > kMaxTransformSize) return std::nullopt;
  kernels::FourierShape shape = ShapeWithoutFactors(op, size);
  if (!kernels::FindFourierFactors(FourierPoints(shape), shape.factors)) return std::nullopt;
  const int64_t weights = GivenFloats(op, size, given) * ResultFloats(op, size);
  const int64_t min = FourierPoints(shape) % 4 == 0 ? kMinWeightsOfFours : kMinWeights;
  if (weights < min) return std::nullopt;
  return shape;
}

LineMatrix TransformMatrix(const LineTransform& transform) {
  const int64_t given = std::min(transform.given, FullLine(transform.op, transform.size));
  switch (transform.op) {
    case FourierOp::kForwardReal:
      return RealTransform(transform.size, given);
    case FourierOp::kInverseReal:
      return InverseRealTransform(transform.size, given);
    default:
      return ComplexTransform(transform.size, given, IsInverse(transform.op));
  }
}

void EmitAsMatrix(program::Builder& builder, const LineTransform& transform, int64_t rows,
                  int64_t x_row_stride, program::ValueId x, program::ValueId y) {
  LineMatrix matrix = TransformMatrix(transform);
  const std::vector<double>& window = transform.window;
  const auto inputs = static_cast<size_t>(matrix.inputs);
  const bool stays = window.empty() && transform.scale == 1;
  for (size_t i = 0; i < matrix.weights.size() && !stays; ++i) {
    const double coefficient = matrix.weights[i];
    const double factor =
        window.empty() ? 1 : window[IsInverse(transform.op) ? i / inputs : i % inputs];
    matrix.weights[i] = static_cast<float>(coefficient * factor * transform.scale);
  }
  if (transform.width != 0) matrix.outputs = transform.width;
  matrix.weights.resize(static_cast<size_t>(matrix.outputs) * inputs);
  EmitMatrix(builder, matrix, rows, x_row_stride, x, y);
}

// [rows, line]: the given floats of each line, followed by zeros.
program::ValueId EmitPaddedLines(program::Builder& builder, int64_t rows, int64_t x_row_stride,
                                 int64_t given, int64_t line, program::ValueId x) {
  const program::ValueId whole = builder.Scratch({ElementType::f32, {rows, line}});
  builder.Fill(whole);
  builder.CopyStrided(x, whole, {rows, given}, {x_row_stride, 1}, 0, {line, 1}, 0);
  return whole;
}

void EmitAsStep(program::Builder& builder, const LineTransform& transform,
                kernels::FourierShape shape, int64_t rows, int64_t x_row_stride, program::ValueId x,
                program::ValueId y) {
  const int64_t line = PartsOf(shape.op) * FullLine(shape.op, transform.size);
  const int64_t given = GivenFloats(shape.op, transform.size, transform.given);
  const int64_t results = ResultFloats(shape.op, transform.size);
  const int64_t width = transform.width != 0 ? transform.width : results;
  if (given != line) {
    x = EmitPaddedLines(builder, rows, x_row_stride, given, line, x);
    x_row_stride = line;
  }
  const double whole_scale = IsInverse(shape.op) ? static_cast<double>(transform.size) : 1.0;
  shape.has_window = !transform.window.empty();
  std::vector<float> tables(FourierTableFloats(shape));
  kernels::FillFourierTables(shape, transform.window.data(), tables.data());
  const auto scratch = static_cast<int64_t>(FourierScratchFloats(shape));
  const format::FourierParams params(
      Narrow32(rows, "lines"), shape.size, Narrow32(x_row_stride, "x line stride"),
      Narrow32(width, "y line stride"), static_cast<float>(transform.scale / whole_scale),
      shape.factors, static_cast<format::FourierOp>(shape.op), shape.has_window, 0);
  const program::ValueId weights =
      builder.WeightsOf({ElementType::f32, {static_cast<int64_t>(tables.size())}}, tables);
  const program::ValueId buffer = builder.Scratch({ElementType::f32, {scratch}});
  builder.Emit(params, {x, weights}, {y, buffer});
}

}  // namespace

bool CheckTransform(InferScope& scope, FourierOp op, int64_t size, int64_t given) {
  if (FactoredShape(op, size, given)) return true;
  if (size <= kMaxTransformSize &&
      GivenFloats(op, size, given) * ResultFloats(op, size) <= kMaxMatrixWeights) {
    return true;
  }
  scope.Fault(
      "transforms lines of {} numbers by a matrix; must have at most {} weights, or at most {}"
      " numbers and no prime factor above 13",
      size, kMaxMatrixWeights, kMaxTransformSize);
  return false;
}

int64_t OutputsOf(const LineTransform& transform) {
  return ResultFloats(transform.op, transform.size);
}

void EmitTransform(program::Builder& builder, const LineTransform& transform, int64_t rows,
                   int64_t x_row_stride, program::ValueId x, program::ValueId y) {
  const auto shape = FactoredShape(transform.op, transform.size, transform.given);
  if (shape) return EmitAsStep(builder, transform, *shape, rows, x_row_stride, x, y);
  EmitAsMatrix(builder, transform, rows, x_row_stride, x, y);
}

}  // namespace weft::ops
