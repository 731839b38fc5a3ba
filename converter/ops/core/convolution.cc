// SPDX-License-Identifier: Apache-2.0
// Convolutions over one to three spatial axes, plain and grouped. Integer convolutions are computed
// in their own type.
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/convolve.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/look_back.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/window.h"

namespace weft::ops {
namespace {

template <bool grouped>
void InferConvolution(InferScope& scope) {
  if (!CheckDataAndFilters(scope, grouped)) return;
  const Dims data = SpecDims(scope);
  const Filters filters = FiltersOf(scope);
  CheckInChannels(scope, filters);
  const std::optional<Window> window =
      InferWindow(scope, std::span(data).subspan(2), filters.window);
  if (!window) return;
  Dims out = {data[0], filters.groups * filters.out_channels};
  for (int64_t extent : window->OutDims()) out.push_back(extent);
  scope.SetOutput(0, scope.input_element(kData), OutputOrder(scope, std::move(out)));
}

void LowerConvolution(LowerScope& scope) {
  const Dims data = SpecDims(scope);
  const program::ValueId y = scope.NewOutput(0);
  const Filters filters = FiltersOf(scope);
  const Window window = ConvolvedWindow(scope);
  const program::ValueId x = scope.input(kData);
  if (scope.input_element(kData) != ElementType::f32) {
    return EmitIntegerConv(scope.builder, data[0], filters, window, x, scope.input(kFilters), y);
  }
  Convolution node = {data[0], filters, window, WeightsOf(scope)};
  SetPlanes(node);
  const WindowAxis &down = window.y, &across = window.x;
  if (scope.attributes.Has(kXLast)) node.x_strides = LastOf(data[1], down.in, across.in);
  if (scope.attributes.Has(kYLast)) {
    node.y_strides = LastOf(filters.groups * filters.out_channels, down.out, across.out);
  }
  EmitConvolution(scope.builder, node, x, y);
}

void ConvolutionAxes(AxisScope& scope) {
  const Dims& weights = scope.in(1);
  const auto space = static_cast<std::ptrdiff_t>(scope.rank(0) - 2);
  const Dims kernel(weights.end() - space, weights.end());
  WindowAxes(scope, kernel, false);
  const Window window = WindowOf(scope, std::span(scope.in(0)).subspan(2), kernel);
  for (size_t i = 0; i < kernel.size(); ++i) {
    const std::optional<Windows> windows = WindowsOf(scope, window, i);
    if (windows && IsFinite(scope, kFilters)) scope.relation.windows.push_back(*windows);
    const std::optional<Delay> delay = LookBackOf(scope, window, i);
    if (!delay || (delay->past > 0 && !IsFinite(scope, kFilters))) continue;
    if (delay->take == delay->give) scope.Pair(0, delay->axis, 0, delay->axis);
    scope.relation.delays.push_back(*delay);
  }
}

constexpr Traits kConvolution = {
    .axes = ConvolutionAxes, .permutation = ConvolutionPermutation, .heavy = true, .multiplied = 1};

constexpr Operation kConvolutionRows[] = {
    {"Convolution", 1, 2, 2, InferConvolution<false>, LowerNarrow<LowerConvolution>, kConvolution},
    {"GroupConvolution", 1, 2, 2, InferConvolution<true>, LowerNarrow<LowerConvolution>,
     kConvolution},
};

}  // namespace

std::span<const Operation> ConvolutionOperations() { return kConvolutionRows; }

}  // namespace weft::ops
