// SPDX-License-Identifier: Apache-2.0
// Pooling over one or two spatial axes. The indices that newer versions of MaxPool also give are
// refused where something reads them.
#include <algorithm>

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

std::optional<Dims> InferPool(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, {ElementType::f32});
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

void Infer(InferScope& scope) {
  if (std::optional<Dims> dims = InferPool(scope)) {
    scope.SetOutput(0, ElementType::f32, std::move(*dims));
  }
}

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
  const std::optional<Dims> dims = InferPool(scope);
  const std::string type = scope.attributes.Choice("index_element_type", "i64", kIndexTypes);
  if (!dims) return;
  scope.SetOutput(0, ElementType::f32, *dims);
  if (scope.output_count() < 2) return;
  if (IsRead(scope.graph(), scope.node(), 1)) {
    scope.Fault("output 1 (indices of the maxima) is read; only the maxima are supported");
  }
  scope.SetOutput(1, ParseElementType(type).value(), *dims);
}

void Emit(LowerScope& scope, PoolOp op) {
  const std::span<const int64_t> data = scope.input_dims(0);
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  const Window window = WindowOf(scope, data.subspan(2), scope.attributes.Ints("kernel"));
  format::PoolParams params;
  params.mutate_planes(static_cast<uint32_t>(data[0] * data[1]));
  WriteWindow(params, window);
  params.mutate_pad_bottom(static_cast<uint32_t>(window.y.pad_end));
  params.mutate_pad_right(static_cast<uint32_t>(window.x.pad_end));
  params.mutate_op(op);
  scope.builder.Emit(params, {scope.input(0)}, {y});
}

void LowerMax(LowerScope& scope) { Emit(scope, PoolOp::max); }

void LowerMean(LowerScope& scope) {
  const bool exclude = scope.attributes.Bool("exclude-pad", false);
  Emit(scope, exclude ? PoolOp::mean_exclude_pad : PoolOp::mean_include_pad);
}

constexpr Operation kOperations[] = {
    {"MaxPool", 1, 1, 1, Infer, LowerMax},         {"MaxPool", 8, 1, 1, InferIndexed, LowerMax},
    {"MaxPool", 14, 1, 1, InferIndexed, LowerMax}, {"AvgPool", 1, 1, 1, Infer, LowerMean},
    {"AvgPool", 14, 1, 1, Infer, LowerMean},       {"AvgPool", 16, 1, 1, Infer, LowerMean},
};

}  // namespace

std::span<const Operation> PoolingOperations() { return kOperations; }

}  // namespace weft::ops
