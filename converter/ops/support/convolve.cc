// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/convolve.h"

#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"
#include "kernels/matrix/pack.h"

namespace weft::ops {
namespace {

format::ConvParams ConvParamsOf(int64_t batch, const Filters& filters, const Window& window,
                                const format::MapStrides& x, const format::MapStrides& y) {
  format::ConvParams params;
  params.mutate_batch(Narrow32(batch, "batch"));
  params.mutate_groups(Narrow32(filters.groups, "groups"));
  params.mutate_in_channels(Narrow32(filters.in_channels, "in channels"));
  params.mutate_out_channels(Narrow32(filters.out_channels, "out channels"));
  WriteWindow(params, window);
  params.mutable_x() = x;
  params.mutable_y() = y;
  return params;
}

// Returns true if one window covers the complete image without dilation, and both its elements, in
// accumulation order, and its results are contiguous.
bool IsDense(const format::ConvParams& params) {
  // Dilated taps skip elements and end in the padding.
  const auto are_adjacent = [](uint32_t taps, uint32_t dilation) {
    return taps == 1 || dilation == 1;
  };
  const bool covers_height = params.kernel_height() == params.in_height() &&
                             are_adjacent(params.kernel_height(), params.dilation_y()) &&
                             params.out_height() == 1 && params.pad_top() == 0;
  const bool covers_width = params.kernel_width() == params.in_width() &&
                            are_adjacent(params.kernel_width(), params.dilation_x()) &&
                            params.out_width() == 1 && params.pad_left() == 0;
  if (params.groups() != 1 || !covers_height || !covers_width) return false;
  const auto goes_on = [](uint32_t count, uint32_t stride, uint64_t length) {
    return count == 1 || stride == length;
  };
  const uint64_t column = params.in_channels(), row = column * params.kernel_width();
  return goes_on(params.in_channels(), params.x().channel(), 1) &&
         goes_on(params.kernel_width(), params.x().pixel(), column) &&
         goes_on(params.kernel_height(), params.x().row(), row) &&
         goes_on(params.out_channels(), params.y().channel(), 1) &&
         goes_on(params.batch(), params.y().image(), params.out_channels());
}

// Emits a conv step, or a dense step, which has the same panels. `weights` are packed.
void EmitConv(program::Builder& builder, const format::ConvParams& params, program::ValueId x,
              program::ValueId weights, program::ValueId y, bool is_part) {
  if (IsDense(params)) {
    const int64_t inputs = int64_t{params.in_channels()} * params.in_height() * params.in_width();
    EmitDense(builder, params.batch(), inputs, params.out_channels(), x, weights, y,
              params.x().image());
    MarkLastStepOnePosition(builder);
    if (params.kernel_height() != 1 || params.kernel_width() != 1) MarkLastStepWindow(builder);
  } else {
    builder.Emit(params, {x, weights, program::kNone}, {y});
  }
  if (is_part) KeepLastStepFloat(builder);
}

// `weights` has the layout of PackDepthwise.
void EmitDepthwise(program::Builder& builder, const Convolution& node, program::ValueId x,
                   program::ValueId weights, program::ValueId y) {
  const Filters& filters = node.filters;
  format::DepthwiseParams params;
  params.mutate_batch(Narrow32(node.batch, "batch"));
  params.mutate_channels(Narrow32(filters.groups * filters.out_channels, "channels"));
  params.mutate_multiplier(Narrow32(filters.out_channels, "multiplier"));
  WriteWindow(params, node.window);
  params.mutable_x() = node.x_strides;
  params.mutable_y() = node.y_strides;
  builder.Emit(params, {x, weights, program::kNone}, {y});
}

// Packs computed weights like PackConv: the full panels by one copy, the rest by another. Unused
// outputs of the last panel are zero.
program::ValueId PackAtRunTime(program::Builder& builder, const Filters& filters,
                               program::ValueId weights) {
  constexpr int64_t kPanel = kernels::kPanelOutputs;
  const int64_t channels = filters.in_channels, taps = ElementCount(filters.window).value_or(0);
  const int64_t depth = channels * taps;
  const int64_t whole = filters.out_channels / kPanel, rest = filters.out_channels % kPanel;
  const int64_t panels = whole + (rest != 0);
  const program::ValueId packed =
      builder.Scratch({ElementType::f32, {filters.groups * panels, depth, kPanel}});
  const int64_t group = filters.out_channels * depth, packed_group = panels * depth * kPanel;
  if (rest != 0) builder.Fill(packed);
  builder.CopyStrided(weights, packed, {filters.groups, whole, kPanel, channels, taps},
                      {group, kPanel * depth, depth, taps, 1}, 0,
                      {packed_group, depth * kPanel, 1, kPanel, channels * kPanel}, 0);
  builder.CopyStrided(weights, packed, {filters.groups, rest, channels, taps},
                      {group, depth, taps, 1}, whole * kPanel * depth,
                      {packed_group, 1, kPanel, channels * kPanel}, whole * depth * kPanel);
  return packed;
}

program::ValueId PackedWeights(program::Builder& builder, const Filters& filters,
                               const FilterWeights& weights, const format::ConvParams& params) {
  if (!weights.known) return PackAtRunTime(builder, filters, weights.computed);
  return PackConv(builder, *weights.known, params);
}

// The filters of a depthwise step; for a volume, those at tap `tap` of the depth.
program::ValueId DepthwiseWeights(program::Builder& builder, const Filters& filters,
                                  const FilterWeights& weights, const Window& window, int64_t tap) {
  const int64_t channels = filters.groups * filters.out_channels;
  const int64_t area = window.y.kernel * window.x.kernel;
  const int64_t taps = ElementCount(filters.window).value_or(0);
  const auto panels = static_cast<int64_t>(kernels::PanelCount(Narrow32(channels, "channels")));
  const TensorType type = {ElementType::f32, {area, panels * kernels::kPanelOutputs}};
  if (!weights.known) {
    const program::ValueId packed = builder.Scratch(type);
    if (type.dims[1] != channels) builder.Fill(packed);
    builder.CopyStrided(weights.computed, packed, {channels, area}, {taps, 1}, tap * area,
                        {1, type.dims[1]}, 0);
    return packed;
  }
  const auto pack = [&](const std::vector<float>& all) {
    std::vector<float> taken;
    for (int64_t channel = 0; channel < channels; ++channel) {
      const auto first = all.begin() + channel * taps + tap * area;
      taken.insert(taken.end(), first, first + area);
    }
    std::vector<float> packed(static_cast<size_t>(area * type.dims[1]));
    kernels::PackDepthwise(taken.data(), Narrow32(channels, "channels"),
                           Narrow32(window.y.kernel, "kernel height"),
                           Narrow32(window.x.kernel, "kernel width"), packed.data());
    return packed;
  };
  return builder.WeightsOf(type, weights.known->Arranged(pack));
}

// A convolution of a volume [batch, channels, depth, area], whose depth is padded with zeros.
class VolumeSteps {
 public:
  VolumeSteps(program::Builder& builder, const Convolution& node)
      : builder_(builder),
        node_(node),
        filters_(node.filters),
        window_(node.window),
        batch_(node.batch),
        channels_(filters_.groups * filters_.in_channels),
        area_(window_.y.in * window_.x.in) {}

  void Convolve(program::ValueId x, program::ValueId y) {
    x_ = Deepened(x);
    if (IsDepthwise(filters_)) return Permutation(SumOverDepth(), y);
    // The depth taps become additional channels, in planes, as the filters are laid out.
    Filters filters = filters_;
    filters.in_channels *= window_.z.kernel;
    filters.window = {window_.y.kernel, window_.x.kernel};
    const WindowAxis &down = window_.y, &across = window_.x;
    const format::ConvParams params = ConvParamsOf(
        images(), filters, window_, PlanesOf(channels_ * window_.z.kernel, down.in, across.in),
        PlanesOf(out_channels(), down.out, across.out));
    const program::ValueId made = Made(y);
    const program::ValueId images_at = Images(0, window_.z.kernel);
    EmitConv(builder_, params, images_at, PackedWeights(builder_, filters, node_.weights, params),
             made, node_.is_part);
    ExcludeLastStepFromFusion(
        builder_);  // whether a copy follows depends on how the depth is split
    Permutation(made, y);
  }

 private:
  int64_t images() const { return batch_ * window_.z.out; }
  int64_t out_channels() const { return filters_.groups * filters_.out_channels; }
  int64_t out_area() const { return window_.y.out * window_.x.out; }
  bool IsInOrder() const { return window_.z.out == 1 || out_channels() == 1; }

  program::ValueId Deepened(program::ValueId x) {
    const WindowAxis& z = window_.z;
    depth_ = (z.out - 1) * z.stride + z.extent();
    if (z.pad_begin == 0 && depth_ <= z.in) {
      depth_ = z.in;
      return x;
    }
    const int64_t planes = batch_ * channels_;
    const program::ValueId padded = builder_.Scratch({ElementType::f32, {planes, depth_, area_}});
    builder_.Fill(padded);
    const int64_t used = std::clamp<int64_t>(depth_ - z.pad_begin, 0, z.in);
    builder_.CopyStrided(x, padded, {planes, used, area_}, {z.in * area_, area_, 1}, 0,
                         {depth_ * area_, area_, 1}, z.pad_begin * area_);
    return padded;
  }

  // [batch, out depth, channels, taps, area]: the planes at some taps of the depth.
  program::ValueId Images(int64_t first, int64_t taps) {
    const WindowAxis& z = window_.z;
    const Dims dims = {batch_, z.out, channels_, taps, area_};
    const Dims strides = {channels_ * depth_ * area_, z.stride * area_, depth_ * area_,
                          z.dilation * area_, 1};
    const TensorType type = {ElementType::f32, dims};
    const Dims dense = program::DenseStrides(dims);
    bool is_piece = first == 0 && batch_ * channels_ * depth_ == images() * channels_ * taps;
    for (size_t i = 0; i < dims.size(); ++i) {
      is_piece = is_piece && (dims[i] == 1 || dense[i] == strides[i]);
    }
    if (is_piece) return builder_.View(x_, 0, type);
    const program::ValueId images = builder_.Scratch(type);
    builder_.CopyStrided(x_, images, dims, strides, first * z.dilation * area_, dense, 0);
    return images;
  }

  // [batch, out depth, channels, out area]: y itself if no permutation is needed.
  program::ValueId Made(program::ValueId y) {
    if (IsInOrder()) return y;
    return builder_.Scratch({ElementType::f32, {images(), out_channels(), out_area()}});
  }

  // Channels are independent: each depth tap is one step that continues the sum.
  program::ValueId SumOverDepth() {
    const TensorType type = {ElementType::f32, {images(), out_channels(), out_area()}};
    Convolution plane = {images(), filters_, window_, {}};
    SetPlanes(plane);
    program::ValueId sum = program::kNone;
    for (int64_t tap = 0; tap < window_.z.kernel; ++tap) {
      const program::ValueId part = builder_.Scratch(type);
      const program::ValueId images_at = Images(tap, 1);
      const program::ValueId weights_at =
          DepthwiseWeights(builder_, filters_, node_.weights, window_, tap);
      EmitDepthwise(builder_, plane, images_at, weights_at, part);
      ExcludeLastStepFromFusion(builder_);
      if (tap == 0) {
        sum = part;
        continue;
      }
      const program::ValueId next = builder_.Scratch(type);
      EmitBinary(builder_, format::BinaryOp::add, sum, part, next);
      sum = next;
    }
    return sum;
  }

  void Permutation(program::ValueId made, program::ValueId y) {
    if (made == y) return;
    const int64_t depth = window_.z.out, channels = out_channels(), area = out_area();
    builder_.CopyStrided(made, y, {batch_, channels, depth, area},
                         {depth * channels * area, area, channels * area, 1}, 0,
                         {channels * depth * area, depth * area, area, 1}, 0);
  }

  program::Builder& builder_;
  const Convolution& node_;
  const Filters& filters_;
  const Window& window_;
  const int64_t batch_, channels_, area_;
  int64_t depth_ = 0;
  program::ValueId x_ = program::kNone;
};

}  // namespace

Filters FiltersOf(const NodeScope& scope) {
  const Dims& dims = scope.input_dims(kFilters);
  const bool grouped = scope.rank(kFilters) > scope.rank(kData);
  const size_t first = grouped ? 1 : 0;
  return {grouped ? dims[0] : 1, dims[first], dims[first + 1],
          Dims(dims.begin() + static_cast<std::ptrdiff_t>(first) + 2, dims.end())};
}

Window ConvolvedWindow(const NodeScope& scope) {
  const Dims data = SpecDims(scope);
  return WindowOf(scope, std::span(data).subspan(2), FiltersOf(scope).window);
}

bool CheckDataAndFilters(InferScope& scope, bool grouped) {
  constexpr size_t kDataAndFilters[] = {kData, kFilters};
  CheckNumeric(scope, kDataAndFilters);
  const int64_t rank = scope.rank(kData), filter_rank = rank + (grouped ? 1 : 0);
  if (rank < 3 || scope.rank(kFilters) != filter_rank) {
    scope.Fault("data is {} and filters are {}; must have ranks 3 and {}, 4 and {}, or 5 and {}",
                ToString(scope.input_type(kData)), ToString(scope.input_type(kFilters)),
                grouped ? 4 : 3, grouped ? 5 : 4, grouped ? 6 : 5);
    return false;
  }
  if (rank == 5 && scope.input_element(kData) != ElementType::f32) {
    scope.Fault("data is {}; must be f32 for three spatial axes",
                ToString(scope.input_type(kData)));
    return false;
  }
  if (ElementCount(scope.input_dims(kFilters)) != 0) return true;
  scope.Fault("filters are {}; no dimension may be 0", ToString(scope.input_type(kFilters)));
  return false;
}

void CheckInChannels(InferScope& scope, const Filters& filters) {
  const int64_t channels = SpecDims(scope)[1];
  if (channels == filters.groups * filters.in_channels) return;
  scope.Fault("data has {} channels and filters take {}; both must be equal", channels,
              filters.groups * filters.in_channels);
}

FilterWeights WeightsOf(LowerScope& scope) {
  if (const ir::Constant* constant = scope.constant(kFilters)) return {CodedFloatsOf(*constant)};
  return {std::nullopt, scope.input(kFilters)};
}

void SetPlanes(Convolution& node) {
  const WindowAxis &down = node.window.y, &across = node.window.x;
  const Filters& filters = node.filters;
  node.x_strides = PlanesOf(filters.groups * filters.in_channels, down.in, across.in);
  node.y_strides = PlanesOf(filters.groups * filters.out_channels, down.out, across.out);
}

void EmitConvolution(program::Builder& builder, const Convolution& node, program::ValueId x,
                     program::ValueId y) {
  const Filters& filters = node.filters;
  if (node.window.axis_count == 3) return VolumeSteps(builder, node).Convolve(x, y);
  if (IsDepthwise(filters)) {
    const program::ValueId weights =
        DepthwiseWeights(builder, filters, node.weights, node.window, 0);
    return EmitDepthwise(builder, node, x, weights, y);
  }
  const format::ConvParams params =
      ConvParamsOf(node.batch, filters, node.window, node.x_strides, node.y_strides);
  EmitConv(builder, params, x, PackedWeights(builder, filters, node.weights, params), y,
           node.is_part);
}

void ConvolutionPermutation(PermuteScope& scope) {
  if (scope.input_element(kData) != ElementType::f32) return;
  if (scope.is_permuted(In(kData))) scope.permutation.attributes[kXLast] = "1";
  if (scope.is_permuted(Out(0))) scope.permutation.attributes[kYLast] = "1";
  if (IsDepthwise(FiltersOf(scope))) {
    scope.permutation.last_is = LastIs::kBest;
    return SamePermutation(scope);
  }
  scope.permutation.last_is = LastIs::kGood;
  scope.Tie({In(kData)});
  scope.Tie({Out(0)});
}

}  // namespace weft::ops
