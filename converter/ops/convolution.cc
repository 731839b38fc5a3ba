// SPDX-License-Identifier: Apache-2.0
// Convolutions over one or two spatial axes, plain and grouped. Weights are packed at conversion;
// where they are data, copies pack them at run time.
#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/axes.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/families.h"
#include "converter/ops/look_back.h"
#include "converter/ops/packed.h"
#include "converter/ops/window.h"
#include "kernels/pack.h"

namespace weft::ops {
namespace {

constexpr size_t kData = 0, kFilters = 1;

// Filters as [groups, out_channels, in_channels, window...], channels per group.
struct Filters {
  int64_t groups, out_channels, in_channels;
  Dims window;
};

template <bool grouped>
Filters FiltersOf(const NodeScope& scope) {
  const Dims& dims = scope.input_dims(kFilters);
  const int64_t first = grouped ? 1 : 0;
  return {grouped ? dims[0] : 1, dims[first], dims[first + 1],
          Dims(dims.begin() + first + 2, dims.end())};
}

template <bool grouped>
void InferConvolution(InferScope& scope) {
  constexpr size_t kDataAndFilters[] = {kData, kFilters};
  CheckElements(scope, kDataAndFilters, {ElementType::f32});
  const int64_t rank = scope.rank(kData), filter_rank = rank + (grouped ? 1 : 0);
  if (rank < 3 || scope.rank(kFilters) != filter_rank) {
    scope.Fault("data is {} and filters are {}; must have ranks 3 and {}, or 4 and {}",
                ToString(scope.input_type(kData)), ToString(scope.input_type(kFilters)),
                grouped ? 4 : 3, grouped ? 5 : 4);
    return;
  }
  if (ElementCount(scope.input_dims(kFilters)) == 0) {
    scope.Fault("filters are {}; no dimension may be 0", ToString(scope.input_type(kFilters)));
    return;
  }
  const std::span<const int64_t> data = scope.input_dims(kData);
  const Filters filters = FiltersOf<grouped>(scope);
  if (data[1] != filters.groups * filters.in_channels) {
    scope.Fault("data has {} channels and filters take {}; both must be equal", data[1],
                filters.groups * filters.in_channels);
  }
  const std::optional<Window> window = InferWindow(scope, data.subspan(2), filters.window);
  if (!window) return;
  Dims out = {data[0], filters.groups * filters.out_channels};
  for (int64_t extent : window->OutDims()) out.push_back(extent);
  scope.SetOutput(0, ElementType::f32, std::move(out));
}

bool CoversAll(const WindowAxis& axis) {
  return axis.kernel == axis.in && axis.out == 1 && axis.pad_begin == 0;
}

// What PackConv does to constants, done by the engine: whole panels in one copy, the rest in
// another, its unused outputs zero.
plan::ValueId PackAtRunTime(LowerScope& scope, const Filters& filters) {
  plan::Builder& builder = scope.builder;
  constexpr int64_t kPanel = kernels::kPanelOutputs;
  const int64_t depth = filters.in_channels * ElementCount(filters.window).value_or(0);
  const int64_t whole = filters.out_channels / kPanel, rest = filters.out_channels % kPanel;
  const int64_t panels = whole + (rest != 0);
  const plan::ValueId packed =
      builder.Scratch({ElementType::f32, {filters.groups * panels, depth, kPanel}});
  const int64_t group = filters.out_channels * depth, packed_group = panels * depth * kPanel;
  if (rest != 0) builder.Fill(packed);
  builder.CopyStrided(scope.input(kFilters), packed, {filters.groups, whole, kPanel, depth},
                      {group, kPanel * depth, depth, 1}, 0,
                      {packed_group, depth * kPanel, 1, kPanel}, 0);
  builder.CopyStrided(scope.input(kFilters), packed, {filters.groups, rest, depth},
                      {group, depth, 1}, whole * kPanel * depth, {packed_group, 1, kPanel},
                      whole * depth * kPanel);
  return packed;
}

plan::ValueId PackedFilters(LowerScope& scope, const Filters& filters,
                            const format::ConvParams& params) {
  const ir::Constant* constant = scope.constant(kFilters);
  if (constant == nullptr) return PackAtRunTime(scope, filters);
  return PackConv(scope.builder, Floats(*constant), params);
}

void EmitDepthwise(LowerScope& scope, const Filters& filters, const Window& window,
                   plan::ValueId y) {
  format::DepthwiseParams params;
  params.mutate_batch(Narrow32(scope.input_dims(kData)[0], "batch"));
  params.mutate_channels(Narrow32(filters.groups * filters.out_channels, "channels"));
  params.mutate_multiplier(Narrow32(filters.out_channels, "multiplier"));
  WriteWindow(params, window);
  scope.builder.Emit(params, {scope.input(kData), scope.input(kFilters), plan::kNone}, {y});
}

template <bool grouped>
void LowerConvolution(LowerScope& scope) {
  const std::span<const int64_t> data = scope.input_dims(kData);
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  const Filters filters = FiltersOf<grouped>(scope);
  const Window window = WindowOf(scope, data.subspan(2), filters.window);
  if (filters.groups > 1 && filters.in_channels == 1) {
    return EmitDepthwise(scope, filters, window, y);
  }
  format::ConvParams params;
  params.mutate_batch(Narrow32(data[0], "batch"));
  params.mutate_groups(Narrow32(filters.groups, "groups"));
  params.mutate_in_channels(Narrow32(filters.in_channels, "in channels"));
  params.mutate_out_channels(Narrow32(filters.out_channels, "out channels"));
  WriteWindow(params, window);
  const plan::ValueId weights = PackedFilters(scope, filters, params);
  // One window that covers everything is a dense layer over the same panels.
  if (filters.groups == 1 && CoversAll(window.y) && CoversAll(window.x)) {
    const int64_t inputs = filters.in_channels * window.y.in * window.x.in;
    return EmitDense(scope.builder, data[0], inputs, filters.out_channels, scope.input(kData),
                     weights, y);
  }
  scope.builder.Emit(params, {scope.input(kData), weights, plan::kNone}, {y});
}

void ConvolutionAxes(AxisScope& scope) {
  const Dims& weights = scope.in(1);
  const auto space = static_cast<std::ptrdiff_t>(scope.rank(0) - 2);
  WindowAxes(scope, Dims(weights.end() - space, weights.end()), false);
  for (int64_t axis = 2; axis < scope.rank(0); ++axis) {
    const std::optional<int64_t> past = PastOf(scope, axis);
    if (past && scope.Pair(0, axis, 0, axis)) scope.relation.delays.push_back({axis, *past});
  }
}

constexpr Traits kConvolution = {.axes = ConvolutionAxes, .heavy = true};

constexpr Operation kConvolutionRows[] = {
    {"Convolution", 1, 2, 2, InferConvolution<false>, LowerConvolution<false>, kConvolution},
    {"GroupConvolution", 1, 2, 2, InferConvolution<true>, LowerConvolution<true>, kConvolution},
};

}  // namespace

std::span<const Operation> ConvolutionOperations() { return kConvolutionRows; }

}  // namespace weft::ops
