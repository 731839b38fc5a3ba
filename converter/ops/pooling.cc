// SPDX-License-Identifier: Apache-2.0
// Pooling over one or two spatial axes. The step pools f32; maxima of integers are laid out window
// by window and reduced. The indices that newer versions of MaxPool also give are refused where
// something reads them.
#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/axes.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/families.h"
#include "converter/ops/window.h"

namespace weft::ops {
namespace {

using format::PoolOp;

// The documents rule out windows that see padding alone.
void CheckPads(InferScope& scope, Window window) {
  for (size_t i = 0; i < window.axis_count; ++i) {
    const WindowAxis& axis = window.axis(i);
    if (axis.pad_end >= 0 && std::max(axis.pad_begin, axis.pad_end) < axis.extent()) continue;
    scope.Fault("spatial axis {} has pads {} and {}; must be from 0 to {}, less than the window", i,
                axis.pad_begin, axis.pad_end, axis.extent() - 1);
  }
}

std::optional<Dims> InferPool(InferScope& scope, std::initializer_list<ElementType> allowed) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, allowed);
  if (scope.rank(0) < 3) {
    scope.Fault("data is {}; must have rank 3 or 4", ToString(scope.input_type(0)));
    return std::nullopt;
  }
  const std::span<const int64_t> data = scope.input_dims(0);
  const std::optional<Window> window =
      InferWindow(scope, data.subspan(2), scope.attributes.Ints("kernel"));
  if (!window) return std::nullopt;
  CheckPads(scope, *window);
  Dims out = {data[0], data[1]};
  for (int64_t extent : window->OutDims()) out.push_back(extent);
  return out;
}

void InferMean(InferScope& scope) {
  if (std::optional<Dims> dims = InferPool(scope, {ElementType::f32})) {
    scope.SetOutput(0, ElementType::f32, std::move(*dims));
  }
}

std::optional<Dims> InferMaxima(InferScope& scope) {
  std::optional<Dims> dims = InferPool(scope, {ElementType::f32, ElementType::i32, ElementType::i64,
                                               ElementType::i8, ElementType::u8});
  if (dims) scope.SetOutput(0, scope.input_element(0), *dims);
  return dims;
}

void InferMax(InferScope& scope) { InferMaxima(scope); }

bool IsRead(const ir::Graph& graph, const ir::Node& node, uint32_t port) {
  const auto reads = [&](const ir::Source& source) {
    return source.node == &node && source.port == port;
  };
  return std::ranges::any_of(graph.nodes, [&](const std::unique_ptr<ir::Node>& reader) {
    return std::ranges::any_of(reader->inputs, reads);
  });
}

constexpr std::string_view kIndexTypes[] = {"i64", "i32"};

// From opset8 on the second output holds where each maximum was found.
void InferIndexed(InferScope& scope) {
  const std::optional<Dims> dims = InferMaxima(scope);
  const std::string type = scope.attributes.Choice("index_element_type", "i64", kIndexTypes);
  if (!dims || scope.output_count() < 2) return;
  if (IsRead(scope.graph(), scope.node(), 1)) {
    scope.Fault("output 1 (indices of the maxima) is read; only the maxima are supported");
  }
  scope.SetOutput(1, ParseElementType(type).value(), *dims);
}

Window WindowOf(const NodeScope& scope) {
  const std::span<const int64_t> data = scope.input_dims(0);
  return WindowOf(scope, data.subspan(2), scope.attributes.Ints("kernel"));
}

// Elements that the windows reach from the first one on, padding included.
int64_t Reach(const WindowAxis& axis) { return (axis.out - 1) * axis.stride + axis.extent(); }

// What a mean that counts padding divides by where rounding up lets the last window end beyond the
// padding is left open by the documents. OpenVINO takes the whole window if there is padding at
// all, and what lies in the data if there is none.
void CountBeyondPads(Window& window) {
  const auto padded = [](const WindowAxis& axis) { return axis.pad_begin + axis.pad_end > 0; };
  if (!padded(window.y) && !padded(window.x)) return;
  for (WindowAxis* axis : {&window.y, &window.x}) {
    axis->pad_end = std::max(axis->pad_end, Reach(*axis) - axis->in - axis->pad_begin);
  }
}

void Emit(LowerScope& scope, PoolOp op) {
  const Dims& data = scope.input_dims(0);
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  Window window = WindowOf(scope);
  if (op == PoolOp::mean_include_pad) CountBeyondPads(window);
  format::PoolParams params;
  params.mutate_planes(Narrow32(data[0] * data[1], "planes"));
  WriteWindow(params, window);
  params.mutate_pad_bottom(Narrow32(window.y.pad_end, "pad bottom"));
  params.mutate_pad_right(Narrow32(window.x.pad_end, "pad right"));
  params.mutate_op(op);
  scope.builder.Emit(params, {scope.input(0)}, {y});
}

// x as the windows reach it, its padding the lowest integer; `window` then starts inside. x itself
// where there is no padding.
plan::ValueId Padded(plan::Builder& builder, plan::ValueId x, int64_t planes, Window& window) {
  const auto inside = [](const WindowAxis& axis) {
    return axis.pad_begin == 0 && Reach(axis) <= axis.in;
  };
  if (inside(window.y) && inside(window.x)) return x;
  const ElementType type = builder.type(x);
  const Dims to = {planes, Reach(window.y), Reach(window.x)};
  const plan::ValueId padded = builder.Scratch({type, to});
  builder.Fill(padded, uint64_t{1} << (BitsOf(type) - 1));
  const auto used = [](const WindowAxis& axis) {
    return std::min(axis.in, Reach(axis) - axis.pad_begin);
  };
  builder.CopyStrided(x, padded, {planes, used(window.y), used(window.x)},
                      {window.y.in * window.x.in, window.x.in, 1}, 0, plan::DenseStrides(to),
                      window.y.pad_begin * to[2] + window.x.pad_begin);
  window.y.in = to[1];
  window.x.in = to[2];
  return padded;
}

// Every window becomes a row, and each row its maximum. x is i32 or i64.
void EmitIntegerMax(plan::Builder& builder, plan::ValueId x, int64_t planes, Window window,
                    plan::ValueId y) {
  const plan::ValueId source = Padded(builder, x, planes, window);
  const int64_t row = window.x.in;
  const Dims dims = {planes, window.y.out, window.x.out, window.y.kernel, window.x.kernel};
  const plan::ValueId rows = builder.Scratch({builder.type(x), dims});
  builder.CopyStrided(source, rows, dims,
                      {window.y.in * row, window.y.stride * row, window.x.stride,
                       window.y.dilation * row, window.x.dilation},
                      0, plan::DenseStrides(dims), 0);
  const int64_t taps = window.y.kernel * window.x.kernel;
  format::ReduceParams params;
  params.mutate_kept_rank(1);
  params.mutate_reduced_rank(1);
  WriteDims(params.mutable_dims(), {planes * window.y.out * window.x.out, taps});
  WriteDims(params.mutable_strides(), {taps, 1});
  params.mutate_op(format::ReduceOp::max);
  params.mutate_type(builder.type(x));
  builder.Emit(params, {rows}, {y});
}

void EmitConvert(plan::Builder& builder, plan::ValueId x, plan::ValueId y) {
  const auto count = Narrow32(ElementCount(builder.dims(y)).value_or(0), "count");
  builder.Emit(format::ConvertParams(count, builder.type(x), builder.type(y), 0), {x}, {y});
}

void LowerMax(LowerScope& scope) {
  const TensorType& type = scope.output_type(0);
  if (type.type == ElementType::f32) return Emit(scope, PoolOp::max);
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(type.dims) == 0) return;
  plan::Builder& builder = scope.builder;
  const Dims& data = scope.input_dims(0);
  const int64_t planes = data[0] * data[1];
  if (ElementBytes(type.type) >= 4) {
    return EmitIntegerMax(builder, scope.input(0), planes, WindowOf(scope), y);
  }
  const plan::ValueId wide_x = builder.Scratch({ElementType::i32, data});
  const plan::ValueId wide_y = builder.Scratch({ElementType::i32, type.dims});
  EmitConvert(builder, scope.input(0), wide_x);
  EmitIntegerMax(builder, wide_x, planes, WindowOf(scope), wide_y);
  EmitConvert(builder, wide_y, y);
}

void LowerMean(LowerScope& scope) {
  const bool exclude = scope.attributes.Bool("exclude-pad", false);
  Emit(scope, exclude ? PoolOp::mean_exclude_pad : PoolOp::mean_include_pad);
}

// Indices of maxima count in the whole tensor.
void PoolingAxes(AxisScope& scope) {
  if (scope.node().outputs.size() > 1) {
    scope.relation.reason = "numbers its indices along time";
    return;
  }
  WindowAxes(scope, scope.attributes.Ints("kernel"), true);
}

constexpr Traits kPooling = Apart(PoolingAxes);

constexpr Operation kPoolingRows[] = {
    {"MaxPool", 1, 1, 1, InferMax, LowerMax, kPooling},
    {"MaxPool", 8, 1, 1, InferIndexed, LowerMax, kPooling},
    {"MaxPool", 14, 1, 1, InferIndexed, LowerMax, kPooling},
    {"AvgPool", 1, 1, 1, InferMean, LowerMean, kPooling},
    {"AvgPool", 14, 1, 1, InferMean, LowerMean, kPooling},
    {"AvgPool", 16, 1, 1, InferMean, LowerMean, kPooling},
};

}  // namespace

std::span<const Operation> PoolingOperations() { return kPoolingRows; }

}  // namespace weft::ops
