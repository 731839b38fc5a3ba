// SPDX-License-Identifier: Apache-2.0
// Convolutions over one or two spatial axes, plain and grouped. Weights are packed at conversion;
// where they are data, copies pack them at run time. Integers are multiplied as they are.
#include "converter/ops/axes.h"
#include "converter/ops/convolve.h"
#include "converter/ops/families.h"
#include "converter/ops/look_back.h"
#include "converter/ops/packed.h"
#include "converter/ops/window.h"
#include "kernels/pack.h"

namespace weft::ops {
namespace {

template <bool grouped>
void InferConvolution(InferScope& scope) {
  const std::initializer_list<ElementType> allowed = {ElementType::f32, ElementType::i32,
                                                      ElementType::i64};
  if (!CheckDataAndFilters(scope, grouped, allowed)) return;
  const std::span<const int64_t> data = scope.input_dims(kData);
  const Filters filters = FiltersOf(scope);
  CheckInChannels(scope, filters);
  const std::optional<Window> window = InferWindow(scope, data.subspan(2), filters.window);
  if (!window) return;
  Dims out = {data[0], filters.groups * filters.out_channels};
  for (int64_t extent : window->OutDims()) out.push_back(extent);
  scope.SetOutput(0, scope.input_element(kData), std::move(out));
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

void LowerConvolution(LowerScope& scope) {
  const std::span<const int64_t> data = scope.input_dims(kData);
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  const Filters filters = FiltersOf(scope);
  const Window window = WindowOf(scope, data.subspan(2), filters.window);
  const plan::ValueId x = scope.input(kData);
  if (scope.input_element(kData) != ElementType::f32) {
    return EmitIntegerConv(scope.builder, data[0], filters, window, x, scope.input(kFilters), y);
  }
  if (IsDepthwise(filters)) {
    return EmitDepthwise(scope.builder, data[0], filters, window, x, scope.input(kFilters), y);
  }
  const format::ConvParams params = ConvParamsOf(data[0], filters, window);
  EmitConv(scope.builder, params, x, PackedFilters(scope, filters, params), y);
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
    {"Convolution", 1, 2, 2, InferConvolution<false>, LowerConvolution, kConvolution},
    {"GroupConvolution", 1, 2, 2, InferConvolution<true>, LowerConvolution, kConvolution},
};

}  // namespace

std::span<const Operation> ConvolutionOperations() { return kConvolutionRows; }

}  // namespace weft::ops
