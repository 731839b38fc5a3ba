// SPDX-License-Identifier: Apache-2.0
// Convolutions over one to three spatial axes, plain and grouped. Weights are packed at conversion;
// where they are data, copies pack them at run time. A volume becomes images, one for each place of
// the output's depth. Integers are multiplied as they are.
#include <algorithm>

#include "converter/ops/axes.h"
#include "converter/ops/convolve.h"
#include "converter/ops/families.h"
#include "converter/ops/integers.h"
#include "converter/ops/look_back.h"
#include "converter/ops/movement.h"
#include "converter/ops/packed.h"
#include "converter/ops/pointwise.h"
#include "converter/ops/window.h"
#include "kernels/pack.h"

namespace weft::ops {
namespace {

template <bool grouped>
void InferConvolution(InferScope& scope) {
  const std::initializer_list<ElementType> allowed = {ElementType::f32, ElementType::i8,
                                                      ElementType::u8,  ElementType::i16,
                                                      ElementType::i32, ElementType::i64};
  if (!CheckDataAndFilters(scope, grouped, allowed)) return;
  const std::span<const int64_t> data = scope.input_dims(kData);
  const Filters filters = FiltersOf(scope);
  CheckInChannels(scope, filters);
  if (data.size() == 5 && scope.input_element(kData) != ElementType::f32) {
    return scope.Fault("data is {}; must be f32 where it has three axes of space",
                       ToString(scope.input_type(kData)));
  }
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

// The filters at each tap of the depth as one step of f32: [channels, depth, area] to [channels,
// area].
plan::ValueId FiltersAt(LowerScope& scope, const Filters& filters, int64_t tap) {
  plan::Builder& builder = scope.builder;
  const int64_t channels = filters.groups * filters.out_channels;
  const int64_t depth = filters.window[0], area = ProductOf(filters.window, 1, 3);
  const TensorType type = {ElementType::f32, {channels, area}};
  const ir::Constant* constant = scope.constant(kFilters);
  if (constant == nullptr) {
    const plan::ValueId taken = builder.Scratch(type);
    builder.CopyStrided(scope.input(kFilters), taken, type.dims, {depth * area, 1}, tap * area,
                        {area, 1}, 0);
    return taken;
  }
  const std::vector<float> all = Floats(*constant);
  std::vector<float> taken;
  for (int64_t channel = 0; channel < channels; ++channel) {
    const auto first = all.begin() + (channel * depth + tap) * area;
    taken.insert(taken.end(), first, first + area);
  }
  return builder.WeightsOf(type, taken);
}

// A volume [batch, channels, depth, area], its depth between zeros as far as the window reaches.
class VolumeSteps {
 public:
  VolumeSteps(LowerScope& scope, const Filters& filters)
      : scope_(scope),
        builder_(scope.builder),
        filters_(filters),
        window_(WindowOf(scope, std::span(scope.input_dims(kData)).subspan(2), filters.window)),
        batch_(scope.input_dims(kData)[0]),
        channels_(scope.input_dims(kData)[1]),
        area_(window_.y.in * window_.x.in) {}

  void Convolve(plan::ValueId y) {
    x_ = Deepened(scope_.input(kData));
    if (IsDepthwise(filters_)) return Turn(SumOverDepth(), y);
    // Taps of the depth are channels: that is how the filters stand already.
    Filters filters = filters_;
    filters.in_channels *= window_.z.kernel;
    filters.window = {window_.y.kernel, window_.x.kernel};
    const format::ConvParams params = ConvParamsOf(images(), filters, window_);
    const plan::ValueId made = Made(y);
    const plan::ValueId x = Images(0, window_.z.kernel);
    EmitConv(builder_, params, x, PackedFilters(scope_, filters, params), made);
    KeepLastStepApart(builder_);  // a copy stands behind it or not, as the depth is cut
    Turn(made, y);
  }

 private:
  int64_t images() const { return batch_ * window_.z.out; }
  int64_t out_channels() const { return filters_.groups * filters_.out_channels; }
  int64_t out_area() const { return window_.y.out * window_.x.out; }
  bool IsInOrder() const { return window_.z.out == 1 || out_channels() == 1; }

  plan::ValueId Deepened(plan::ValueId x) {
    const WindowAxis& z = window_.z;
    depth_ = (z.out - 1) * z.stride + z.extent();
    if (z.pad_begin == 0 && depth_ <= z.in) {
      depth_ = z.in;
      return x;
    }
    const int64_t planes = batch_ * channels_;
    const plan::ValueId padded = builder_.Scratch({ElementType::f32, {planes, depth_, area_}});
    builder_.Fill(padded);
    const int64_t used = std::min(z.in, depth_ - z.pad_begin);
    builder_.CopyStrided(x, padded, {planes, used, area_}, {z.in * area_, area_, 1}, 0,
                         {depth_ * area_, area_, 1}, z.pad_begin * area_);
    return padded;
  }

  // [batch, out depth, channels, taps, area]: the planes at some taps of the depth.
  plan::ValueId Images(int64_t first, int64_t taps) {
    const WindowAxis& z = window_.z;
    const Dims dims = {batch_, z.out, channels_, taps, area_};
    const Dims strides = {channels_ * depth_ * area_, z.stride * area_, depth_ * area_,
                          z.dilation * area_, 1};
    const TensorType type = {ElementType::f32, dims};
    const Dims dense = plan::DenseStrides(dims);
    bool is_piece = first == 0 && batch_ * channels_ * depth_ == images() * channels_ * taps;
    for (size_t i = 0; i < dims.size(); ++i) {
      is_piece = is_piece && (dims[i] == 1 || dense[i] == strides[i]);
    }
    if (is_piece) return builder_.View(x_, 0, type);
    const plan::ValueId images = builder_.Scratch(type);
    builder_.CopyStrided(x_, images, dims, strides, first * z.dilation * area_, dense, 0);
    return images;
  }

  // [batch, out depth, channels, out area], which is y where nothing needs to be turned.
  plan::ValueId Made(plan::ValueId y) {
    if (IsInOrder()) return y;
    return builder_.Scratch({ElementType::f32, {images(), out_channels(), out_area()}});
  }

  // A channel is apart from the others: each tap of the depth is a step, and the sum goes on.
  plan::ValueId SumOverDepth() {
    const TensorType type = {ElementType::f32, {images(), out_channels(), out_area()}};
    plan::ValueId sum = plan::kNone;
    for (int64_t tap = 0; tap < window_.z.kernel; ++tap) {
      const plan::ValueId part = builder_.Scratch(type);
      const plan::ValueId images_at = Images(tap, 1), filters_at = FiltersAt(scope_, filters_, tap);
      EmitDepthwise(builder_, images(), filters_, window_, images_at, filters_at, part);
      KeepLastStepApart(builder_);
      if (tap == 0) {
        sum = part;
        continue;
      }
      const plan::ValueId next = builder_.Scratch(type);
      EmitBinary(builder_, format::BinaryOp::add, sum, part, next);
      sum = next;
    }
    return sum;
  }

  void Turn(plan::ValueId made, plan::ValueId y) {
    if (made == y) return;
    const int64_t depth = window_.z.out, channels = out_channels(), area = out_area();
    builder_.CopyStrided(made, y, {batch_, channels, depth, area},
                         {depth * channels * area, area, channels * area, 1}, 0,
                         {channels * depth * area, depth * area, area, 1}, 0);
  }

  LowerScope& scope_;
  plan::Builder& builder_;
  const Filters filters_;
  const Window window_;
  const int64_t batch_, channels_, area_;
  int64_t depth_ = 0;
  plan::ValueId x_ = plan::kNone;
};

void LowerConvolution(LowerScope& scope) {
  const std::span<const int64_t> data = scope.input_dims(kData);
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  const Filters filters = FiltersOf(scope);
  if (data.size() == 5) return VolumeSteps(scope, filters).Convolve(y);
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
    {"Convolution", 1, 2, 2, InferConvolution<false>, LowerNarrow<LowerConvolution>, kConvolution},
    {"GroupConvolution", 1, 2, 2, InferConvolution<true>, LowerNarrow<LowerConvolution>,
     kConvolution},
};

}  // namespace

std::span<const Operation> ConvolutionOperations() { return kConvolutionRows; }

}  // namespace weft::ops
