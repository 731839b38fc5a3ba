// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions over one or two spatial axes, plain and grouped: tap t of the data's place
// i adds to place i * stride + t * dilation of a result, of which `cut` places in front are dropped.
// Seen from an output place, those that are a stride apart read the same taps: each such phase is a
// convolution of stride 1 over its own taps in descending order, and a copy puts its results a
// stride apart. Nothing is multiplied by a zero between the data's places.
//
// Each output is one chain as of conv and depthwise: over ascending (channel, y, x) of the data,
// from 0; places outside the data are skipped. How phases share steps changes no bit.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/ops/axes.h"
#include "converter/ops/convolve.h"
#include "converter/ops/families.h"
#include "converter/ops/movement.h"
#include "converter/ops/packed.h"
#include "converter/ops/window.h"
#include "kernels/pack.h"

namespace weft::ops {
namespace {

constexpr size_t kOutputShape = 2;  // optional

// Channels from the side of the output, as a convolution's.
Filters TransposedFilters(const NodeScope& scope) {
  Filters filters = FiltersOf(scope);
  std::swap(filters.in_channels, filters.out_channels);
  return filters;
}

// pad_begin is the cut, out the output's extent. A given shape leaves the pads at the end without
// meaning; with same_* the cut is half of what is too much, the larger half (upper) or the smaller.
// Else same_* cut nothing.
Window TransposedWindow(const NodeScope& scope) {
  const std::span<const int64_t> in = std::span(scope.input_dims(kData)).subspan(2);
  const Dims kernel = FiltersOf(scope).window;
  const std::string auto_pad = AutoPad(scope);
  const Dims padding = scope.attributes.Ints("output_padding");
  const std::optional<Dims> shape =
      scope.has_input(kOutputShape) ? scope.Ints(kOutputShape) : std::nullopt;
  Window window;
  window.axis_count = in.size();
  for (size_t i = 0; i < in.size(); ++i) {
    WindowAxis& axis = window.axis(i);
    axis = ExplicitAxis(scope, i, in[i], kernel[i]);
    const int64_t full =
        axis.stride * (axis.in - 1) + axis.extent() + (i < padding.size() ? padding[i] : 0);
    axis.out = shape ? (*shape)[i] : full - axis.pad_begin - axis.pad_end;
    if (!shape || !auto_pad.starts_with("same")) continue;
    const int64_t excess = std::max<int64_t>(full - axis.out, 0);
    axis.pad_begin = auto_pad == "same_upper" ? excess - excess / 2 : excess / 2;
  }
  return window;
}

bool CheckTransposedAttributes(InferScope& scope, const Filters& filters) {
  const std::span<const int64_t> in = std::span(scope.input_dims(kData)).subspan(2);
  if (in.size() > 2) {
    scope.Fault("the data has {} spatial axes; 1 and 2 are supported", in.size());
    return false;
  }
  if (!CheckWindow(scope, in, filters.window)) return false;
  if (!CheckLength(scope, "output_padding", in.size())) return false;
  for (const int64_t padding : scope.attributes.Ints("output_padding")) {
    if (!CheckNumber(scope, "an output padding", padding, 0)) return false;
  }
  for (size_t i = 0; i < in.size(); ++i) {
    const WindowAxis axis = ExplicitAxis(scope, i, in[i], filters.window[i]);
    if (!CheckNumber(scope, "a pad at the end", axis.pad_end, 0)) return false;
  }
  if (!scope.has_input(kOutputShape)) return true;
  const std::optional<Dims> shape =
      ControlInts(scope, kOutputShape, "output_shape", static_cast<int64_t>(in.size()));
  return shape && std::ranges::all_of(*shape, [&](int64_t extent) {
           return CheckNumber(scope, "an extent of output_shape", extent, 1);
         });
}

template <bool grouped>
void InferTransposed(InferScope& scope) {
  if (!CheckDataAndFilters(scope, grouped)) return;
  const Filters filters = TransposedFilters(scope);
  CheckInChannels(scope, filters);
  if (scope.constant(kFilters) == nullptr) {
    scope.Fault(
        "input 1 (filters) is computed at run time; must be a constant, since its taps are "
        "regrouped ahead (MatMul takes such filters, as [in, out * window] matrices)");
  }
  if (!CheckTransposedAttributes(scope, filters)) return;
  Window window = TransposedWindow(scope);
  Dims out = {scope.input_dims(kData)[0], filters.groups * filters.out_channels};
  for (size_t i = 0; i < window.axis_count; ++i) {
    const WindowAxis& axis = window.axis(i);
    if (axis.in < 1 || axis.out < 1) {
      scope.Fault("spatial axis {} is {} long and its output {}; both must be 1 or more", i,
                  axis.in, axis.out);
    }
    out.push_back(axis.out);
  }
  if (!scope.failed()) scope.SetOutput(0, ElementType::f32, std::move(out));
}

// Every stride-th output place of an axis. Its result n reads `taps` places of the data, a constant
// distance apart, of which the first is n - reach.
struct Phase {
  int64_t tap = 0, taps = 0;  // the first tap that it takes, and how many
  int64_t reach = 0;
  int64_t first = 0, count = 0;  // its results that are output places
  int64_t target = 0;            // the place of the first
};
using Phases = std::vector<Phase>;

int64_t TapDistance(const WindowAxis& axis) {
  return axis.stride / std::gcd(axis.stride, axis.dilation);
}

// Of the axis, with as many taps and the same reach in each list: those can be one convolution.
// Places that no phase holds are places without taps.
std::vector<Phases> PhasesOfAxis(const WindowAxis& axis) {
  std::map<int64_t, Phase> by_target;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t place = tap * axis.dilation;
    const int64_t target = ((place - axis.pad_begin) % axis.stride + axis.stride) % axis.stride;
    if (target >= axis.out) continue;
    Phase& phase = by_target.try_emplace(target, Phase{.tap = tap}).first->second;
    ++phase.taps;
    phase.reach = place / axis.stride;
    phase.first = (target + axis.pad_begin) / axis.stride;
    phase.count = (axis.out - target + axis.stride - 1) / axis.stride;
    phase.target = target;
  }
  std::map<std::pair<int64_t, int64_t>, Phases> alike;
  for (const auto& [target, phase] : by_target) alike[{phase.taps, phase.reach}].push_back(phase);
  std::vector<Phases> lists;
  for (auto& [key, phases] : alike) lists.push_back(std::move(phases));
  return lists;
}

bool HoldsAllPlaces(const std::vector<Phases>& lists, const WindowAxis& axis) {
  int64_t places = 0;
  for (const Phases& phases : lists) {
    for (const Phase& phase : phases) places += phase.count;
  }
  return places == axis.out;
}

// The convolution that holds all results of phases which are alike; it begins at result
// reach - pad_begin.
WindowAxis WindowOver(const WindowAxis& axis, const Phases& phases) {
  const int64_t reach = phases.front().reach;
  int64_t begin = reach, end = 0;
  for (const Phase& phase : phases) {
    begin = std::min(begin, phase.first);
    end = std::max(end, phase.first + phase.count);
  }
  return {.in = axis.in,
          .kernel = phases.front().taps,
          .dilation = axis.dilation * TapDistance(axis) / axis.stride,
          .pad_begin = reach - begin,
          .out = end - begin};
}

// Where the results of phases go: neighbours that begin and end alike in one nest. Strides of the
// source: from phase to phase, from result to result; of the target: from place to place.
std::vector<Nest> NestsOfPhases(const WindowAxis& axis, const Phases& phases, int64_t phase_stride,
                                int64_t result_stride, int64_t place_stride) {
  const WindowAxis over = WindowOver(axis, phases);
  const int64_t begin = phases.front().reach - over.pad_begin;
  std::vector<Nest> nests;
  for (size_t i = 0, end = 0; i < phases.size(); i = end) {
    const Phase& phase = phases[i];
    end = i + 1;
    const int64_t distance = end < phases.size() ? phases[end].target - phase.target : 1;
    while (end < phases.size() && phases[end].first == phase.first &&
           phases[end].count == phase.count &&
           phases[end].target - phases[end - 1].target == distance) {
      ++end;
    }
    nests.push_back({{static_cast<int64_t>(end - i), phase.count},
                     {phase_stride, result_stride},
                     {distance * place_stride, axis.stride * place_stride},
                     static_cast<int64_t>(i) * phase_stride + (phase.first - begin) * result_stride,
                     phase.target * place_stride});
  }
  return nests;
}

// For each tap of a phase of each axis where it stands in one channel's window, in the order of the
// convolution.
Dims TapsInOrder(const WindowAxis& y, const Phase& down, const WindowAxis& x, const Phase& across) {
  Dims taps;
  for (int64_t i = down.taps; i-- > 0;) {
    for (int64_t j = across.taps; j-- > 0;) {
      taps.push_back((down.tap + i * TapDistance(y)) * x.kernel + across.tap + j * TapDistance(x));
    }
  }
  return taps;
}

// One transposed convolution on its way to steps.
struct Transposed {
  int64_t batch;
  Filters filters;
  Window window;
  std::vector<float> weights;  // [groups, in_channels, out_channels, window...]
  plan::ValueId x, y;
};

// [groups, out_channels * phases, in_channels, taps...]: what the convolution over them takes.
std::vector<float> RegroupedWeights(const Transposed& node, const Phases& down,
                                    const Phases& across) {
  const Filters& filters = node.filters;
  const int64_t taps = node.window.y.kernel * node.window.x.kernel;
  std::vector<Dims> orders;
  for (const Phase& y : down) {
    for (const Phase& x : across) {
      orders.push_back(TapsInOrder(node.window.y, y, node.window.x, x));
    }
  }
  std::vector<float> weights;
  for (int64_t g = 0; g < filters.groups; ++g) {
    for (int64_t o = 0; o < filters.out_channels; ++o) {
      for (const Dims& order : orders) {
        for (int64_t c = 0; c < filters.in_channels; ++c) {
          const int64_t first = ((g * filters.in_channels + c) * filters.out_channels + o) * taps;
          for (int64_t tap : order)
            weights.push_back(node.weights[static_cast<size_t>(first + tap)]);
        }
      }
    }
  }
  return weights;
}

void EmitConvolution(plan::Builder& builder, const Transposed& node, const Filters& filters,
                     const Window& window, const std::vector<float>& weights, plan::ValueId y) {
  if (IsDepthwise(filters)) {
    const Dims dims = {filters.groups * filters.out_channels, 1, window.y.kernel, window.x.kernel};
    const plan::ValueId stored = builder.WeightsOf({ElementType::f32, dims}, weights);
    return EmitDepthwise(builder, node.batch, filters, window, node.x, stored, y);
  }
  const format::ConvParams params = ConvParamsOf(node.batch, filters, window);
  EmitConv(builder, params, node.x, PackConv(builder, weights, params), y);
}

// Phases that are alike along both axes: one convolution whose channels are those of the output,
// each with all phases, and copies that put the results into their places.
void EmitPhases(plan::Builder& builder, const Transposed& node, const Phases& down,
                const Phases& across) {
  const WindowAxis &y = node.window.y, &x = node.window.x;
  const auto phases_y = static_cast<int64_t>(down.size());
  const auto phases_x = static_cast<int64_t>(across.size());
  const Window window = {WindowOver(y, down), WindowOver(x, across)};
  Filters filters = node.filters;
  filters.out_channels *= phases_y * phases_x;
  const std::vector<float> weights = RegroupedWeights(node, down, across);
  const bool is_all = window.y.out == y.out && down[0].count == y.out && window.x.out == x.out &&
                      across[0].count == x.out;
  if (is_all) return EmitConvolution(builder, node, filters, window, weights, node.y);
  const int64_t width = window.x.out, plane = window.y.out * width;
  const int64_t channels = node.batch * node.filters.groups * node.filters.out_channels;
  const plan::ValueId results = builder.Scratch(
      {ElementType::f32,
       {node.batch, filters.groups * filters.out_channels, window.y.out, window.x.out}});
  EmitConvolution(builder, node, filters, window, weights, results);
  const Nest all_channels = {{channels}, {phases_y * phases_x * plane}, {y.out * x.out}};
  EmitMovement(builder, results, node.y,
               {{all_channels},
                NestsOfPhases(y, down, phases_x * plane, width, x.out),
                NestsOfPhases(x, across, plane, 1, 1)});
}

// Phases apart need the least memory: the results of one at a time stand beside the output. One
// step holds them all where that saves panels of weights, whose empty outputs cost as much as full
// ones, or where they are many.
bool AreOneStep(const Filters& filters, size_t phases) {
  constexpr size_t kMostApart = 16;
  if (phases > kMostApart) return true;
  if (IsDepthwise(filters)) return phases == 1;
  const auto channels = static_cast<size_t>(filters.out_channels);
  const auto panels = [](size_t outputs) {
    return kernels::PanelCount(Narrow32(outputs, "out channels"));
  };
  return phases == 1 || panels(phases * channels) < phases * panels(channels);
}

void LowerTransposed(LowerScope& scope) {
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  plan::Builder& builder = scope.builder;
  const Transposed node = {scope.input_dims(kData)[0], TransposedFilters(scope),
                           TransposedWindow(scope),    Floats(*scope.constant(kFilters)),
                           scope.input(kData),         y};
  const std::vector<Phases> lists_y = PhasesOfAxis(node.window.y);
  const std::vector<Phases> lists_x = PhasesOfAxis(node.window.x);
  const bool covers =
      HoldsAllPlaces(lists_y, node.window.y) && HoldsAllPlaces(lists_x, node.window.x);
  if (!covers) builder.Fill(y);
  for (const Phases& down : lists_y) {
    for (const Phases& across : lists_x) {
      if (AreOneStep(node.filters, down.size() * across.size())) {
        EmitPhases(builder, node, down, across);
        continue;
      }
      for (const Phase& one_y : down) {
        for (const Phase& one_x : across) EmitPhases(builder, node, {one_y}, {one_x});
      }
    }
  }
}

// A given shape holds extents, which another extent of the data would not fit.
void TransposedAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  Window window = TransposedWindow(scope);
  scope.relation.reason = "has windows over time";
  for (size_t i = 0; i < window.axis_count; ++i) {
    const WindowAxis& axis = window.axis(i);
    const auto at = static_cast<int64_t>(i) + 2;
    if (axis.stride > 1) scope.relation.reason = "upsamples the time axis";
    if (axis.is_alone() && !scope.has_input(kOutputShape)) scope.Pair(0, at, 0, at);
  }
}

constexpr Traits kTransposed = {.axes = TransposedAxes,
                                .steering = Steering::kShape,
                                .steered_from = kOutputShape,
                                .heavy = true};

constexpr Operation kTransposedRows[] = {
    {"ConvolutionBackpropData", 1, 2, 3, InferTransposed<false>, LowerTransposed, kTransposed},
    {"GroupConvolutionBackpropData", 1, 2, 3, InferTransposed<true>, LowerTransposed, kTransposed},
};

}  // namespace

std::span<const Operation> TransposedConvolutionOperations() { return kTransposedRows; }

}  // namespace weft::ops
