// SPDX-License-Identifier: Apache-2.0
// AdaptiveAvgPool and AdaptiveMaxPool: output position j of an axis covers the input positions from
// floor(j * in / out) to ceil((j + 1) * in / out). Axes whose input extent is a multiple of the
// output extent are reduced together in one step. Along other axes a mean is a product with a
// matrix; a maximum is taken over windows of the maximum width, in which narrower windows repeat a
// position. If the indices of the maxima are requested, all axes of a window are flattened.
#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/core/line_matrix.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/core/top.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::ReduceOp;

constexpr size_t kFirstSpatial = 2;

struct AdaptiveWindow {
  int64_t begin, end;
};

AdaptiveWindow AdaptiveWindowAt(int64_t j, int64_t in, int64_t out) {
  return {j * in / out, ((j + 1) * in + out - 1) / out};
}

int64_t WidestWindow(int64_t in, int64_t out) {
  int64_t widest = 0;
  for (int64_t j = 0; j < out; ++j) {
    const AdaptiveWindow window = AdaptiveWindowAt(j, in, out);
    widest = std::max(widest, window.end - window.begin);
  }
  return widest;
}

template <ReduceOp op>
void InferAdaptive(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, {ElementType::f32});
  const int64_t rank = scope.rank(0);
  if (rank < 3 || rank > 5) {
    scope.Fault("data is {}; must have rank 3, 4 or 5", ToString(scope.input_type(0)));
    return;
  }
  const std::optional<Dims> shape = ControlInts(scope, 1, "output shape", rank - 2);
  if (!shape) return;
  Dims dims = scope.input_dims(0);
  for (size_t i = 0; i < shape->size(); ++i) {
    int64_t& extent = dims[kFirstSpatial + i];
    const int64_t out = (*shape)[i];
    if (out < 1 || extent < 1) {
      scope.Fault("spatial axis {} is pooled from {} to {}; must be at least 1 each", i, extent,
                  out);
    } else if (op == ReduceOp::mean && extent % out != 0) {
      CheckMatrix(scope, extent, out);
    }
    extent = out;
  }
  if (scope.failed()) return;
  scope.SetOutput(0, ElementType::f32, dims);
  if (op != ReduceOp::max || scope.output_count() < 2) return;
  scope.SetOutput(1, IndexTypeOf(scope, "index_element_type"), dims);
}

// Returns x reduced along every axis whose extent is a multiple of its extent in `out`. Sets `dims`
// to the dims of the result.
program::ValueId ReduceEvenAxes(program::Builder& builder, ReduceOp op, program::ValueId x,
                                Dims& dims, const Dims& out) {
  std::vector<ReduceAxis> axes;
  const Dims strides = program::DenseStrides(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t taps = dims[i] % out[i] == 0 ? dims[i] / out[i] : 1;
    dims[i] /= taps;
    axes.push_back({dims[i], strides[i] * taps, false});
    axes.push_back({taps, strides[i], true});
  }
  if (std::ranges::all_of(axes, [](const ReduceAxis& a) { return !a.reduced || a.dim == 1; })) {
    return x;
  }
  const program::ValueId y = builder.Scratch({ElementType::f32, dims});
  EmitReduce(builder, op, CollapsedAxes(axes), x, y);
  return y;
}

LineMatrix MeanMatrix(int64_t in, int64_t out) {
  LineMatrix matrix{in, out, std::vector<float>(static_cast<size_t>(in * out))};
  for (int64_t j = 0; j < out; ++j) {
    const AdaptiveWindow window = AdaptiveWindowAt(j, in, out);
    for (int64_t i = window.begin; i < window.end; ++i) {
      matrix.weights[static_cast<size_t>(j * in + i)] =
          1.0f / static_cast<float>(window.end - window.begin);
    }
  }
  return matrix;
}

// Gathers the windows along `axis` as a new axis after it, then takes their maxima.
program::ValueId MaximaAlong(program::Builder& builder, program::ValueId x, Dims& dims, size_t axis,
                             int64_t out) {
  const int64_t in = dims[axis], taps = WidestWindow(in, out);
  const int64_t outer = ProductOf(dims, 0, axis), inner = ProductOf(dims, axis + 1, dims.size());
  const program::ValueId windows = builder.Scratch({ElementType::f32, {outer, out, taps, inner}});
  for (int64_t j = 0; j < out; ++j) {
    const AdaptiveWindow window = AdaptiveWindowAt(j, in, out);
    const int64_t given = window.end - window.begin;
    const auto copy = [&](int64_t first, int64_t count, int64_t step, int64_t to) {
      if (count == 0) return;
      builder.CopyStrided(x, windows, {outer, count, inner}, {in * inner, step * inner, 1},
                          first * inner, {out * taps * inner, inner, 1}, (j * taps + to) * inner);
    };
    copy(window.begin, given, 1, 0);
    copy(window.end - 1, taps - given, 0, given);
  }
  dims[axis] = out;
  const program::ValueId y = builder.Scratch({ElementType::f32, dims});
  const ReduceAxis axes[] = {
      {outer * out, taps * inner, false}, {taps, inner, true}, {inner, 1, false}};
  EmitReduce(builder, ReduceOp::max, CollapsedAxes(axes), windows, y);
  return y;
}

template <ReduceOp op>
void LowerAdaptive(LowerScope& scope) {
  if (scope.output_type(0).dims == scope.input_dims(0)) return scope.Forward(0, 0);
  const Dims out = scope.output_type(0).dims;
  Dims dims = scope.input_dims(0);
  program::ValueId x = ReduceEvenAxes(scope.builder, op, scope.input(0), dims, out);
  for (size_t axis = kFirstSpatial; axis < dims.size(); ++axis) {
    if (dims[axis] == out[axis]) continue;
    if (op == ReduceOp::max) {
      x = MaximaAlong(scope.builder, x, dims, axis, out[axis]);
    } else {
      const LineMatrix matrix = MeanMatrix(dims[axis], out[axis]);
      x = EmitAlong(scope.builder, {x, dims, 1}, axis, matrix, 1).value;
      dims[axis] = out[axis];
    }
  }
  scope.SetOutput(0, scope.builder.View(x, 0, scope.output_type(0)));
}

// The positions that the windows along an axis cover, window by window. All windows have the
// maximum width: narrower ones repeat their last position, which never becomes the first maximum.
std::vector<Dims> WindowPositions(int64_t in, int64_t out) {
  std::vector<Dims> windows;
  const int64_t taps = WidestWindow(in, out);
  for (int64_t j = 0; j < out; ++j) {
    const AdaptiveWindow window = AdaptiveWindowAt(j, in, out);
    Dims& positions = windows.emplace_back();
    for (int64_t tap = 0; tap < taps; ++tap) {
      positions.push_back(std::min(window.begin + tap, window.end - 1));
    }
  }
  return windows;
}

// The same over all spatial axes, as indices into the flattened spatial axes.
std::vector<Dims> SpacePositions(std::span<const int64_t> in, std::span<const int64_t> out) {
  std::vector<Dims> all = {{0}};
  for (size_t axis = 0; axis < in.size(); ++axis) {
    std::vector<Dims> finer;
    const std::vector<Dims> windows = WindowPositions(in[axis], out[axis]);
    for (const Dims& outer : all) {
      for (const Dims& window : windows) {
        Dims& positions = finer.emplace_back();
        for (const int64_t first : outer) {
          for (const int64_t position : window) positions.push_back(first * in[axis] + position);
        }
      }
    }
    all = std::move(finer);
  }
  return all;
}

// Computes the maxima and their indices: the windows as lines, the first maximum of each line, and
// its index in the data.
void LowerMaximaAndIndices(LowerScope& scope) {
  const program::ValueId values = scope.NewOutput(0), indices = scope.NewOutput(1);
  const TensorType& type = scope.output_type(1);
  program::Builder& builder = scope.builder;
  const std::span<const int64_t> in = std::span(scope.input_dims(0)).subspan(kFirstSpatial);
  Dims positions;
  const std::vector<Dims> windows = SpacePositions(in, std::span(type.dims).subspan(kFirstSpatial));
  for (const Dims& window : windows)
    positions.insert(positions.end(), window.begin(), window.end());
  const int64_t lines = ProductOf(type.dims, 0, kFirstSpatial), count = std::ssize(windows);
  const int64_t taps = std::ssize(windows[0]), all = count * taps;
  const int64_t space = ProductOf(scope.input_dims(0), kFirstSpatial, kFirstSpatial + in.size());
  const program::ValueId taken = builder.Scratch({ElementType::f32, {lines, all}});
  EmitKnownGather(builder, {1, lines, space, 1, all}, scope.input(0), positions, taken);
  const Dims dims = {lines, count}, line = {1, count};
  const program::ValueId tap = builder.Scratch({ElementType::i32, dims});
  EmitTop(builder, {.outer = lines * count, .axis = taps}, taken, values, tap);
  Dims firsts;
  for (int64_t window = 0; window < count; ++window) firsts.push_back(window * taps);
  const program::ValueId at = builder.Scratch({ElementType::i32, dims});
  EmitBinary(builder, format::BinaryOp::add, {tap, dims},
             {IntegerWeights(builder, ElementType::i32, firsts), line}, at);
  EmitGather(builder, {1, 1, all, 1, lines * count}, IntegerWeights(builder, type.type, positions),
             at, indices);
}

void LowerAdaptiveMax(LowerScope& scope) {
  if (scope.node().outputs.size() > 1 && scope.IsUsed(1)) return LowerMaximaAndIndices(scope);
  LowerAdaptive<ReduceOp::max>(scope);
}

void AdaptiveAxes(AxisScope& scope) {
  for (int64_t axis = 0; axis < 2; ++axis) scope.Pair(0, axis, 0, axis);
  scope.relation.reason = "pools time to a fixed length";
}

constexpr Operation kAdaptiveRows[] = {
    {"AdaptiveAvgPool", 8, 2, 2, InferAdaptive<ReduceOp::mean>, LowerAdaptive<ReduceOp::mean>,
     ShapedBy(AdaptiveAxes)},
    {"AdaptiveMaxPool", 8, 2, 2, InferAdaptive<ReduceOp::max>, LowerAdaptiveMax,
     ShapedBy(AdaptiveAxes)},
};

}  // namespace

std::span<const Operation> AdaptivePoolingOperations() { return kAdaptiveRows; }

}  // namespace weft::ops
