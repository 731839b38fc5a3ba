// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions over one to three spatial axes, plain and grouped. Tap t of input
// position i adds to position i * stride + t * dilation of a result, whose first `cut` positions
// are dropped. Output positions that are a stride apart read the same taps and form a phase. Each
// phase is a convolution of stride 1 over its taps in descending order, which writes its results a
// stride apart. Phases may share a step; copies then move the results if the channels of the step
// are not equally spaced in the output. No multiplication by inserted zeros is needed.
//
// Each output is one chain like in conv and depthwise: over ascending (y, x, channel) of the data,
// from 0; positions outside the data are skipped. (Three-dimensional data uses the chains of its
// convolutions.) Results are bit-identical however phases share steps. Integers are multiplied
// exactly, and their sums wrap around.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/convolve.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/look_back.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/window.h"
#include "kernels/matrix/pack.h"

namespace weft::ops {
namespace {

constexpr size_t kOutputShape = 2;  // optional

// Channel counts as for a convolution from input to output.
Filters TransposedFilters(const NodeScope& scope) {
  Filters filters = FiltersOf(scope);
  std::swap(filters.in_channels, filters.out_channels);
  return filters;
}

// pad_begin is the cut, out is the extent of the output. With a given output shape the end pads
// have no effect. With same_* the cut is then half of the excess, rounded up (upper) or down
// (lower). Without an output shape same_* cut nothing.
Window TransposedWindow(const NodeScope& scope) {
  const Dims data = SpecDims(scope);
  const std::span<const int64_t> in = std::span(data).subspan(2);
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
  const Dims data = SpecDims(scope);
  const std::span<const int64_t> in = std::span(data).subspan(2);
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
  if (scope.failed()) return;
  scope.SetOutput(0, scope.input_element(kData), OutputOrder(scope, std::move(out)));
}

// The output positions of an axis with equal position modulo stride. Result n reads `taps`
// positions of the data at a constant distance; the first of them is n - reach.
struct Phase {
  int64_t tap = 0, taps = 0;  // first tap, and number of taps
  int64_t reach = 0;
  int64_t first = 0, count = 0;  // results inside the output
  int64_t target = 0;            // output position of the first result
};
using Phases = std::vector<Phase>;

int64_t TapDistance(const WindowAxis& axis) {
  return axis.stride / std::gcd(axis.stride, axis.dilation);
}

// The phases of the axis, grouped by number of taps and reach: each group can be one convolution.
// Output positions in no phase have no taps.
std::vector<Phases> PhasesOfAxis(const WindowAxis& axis) {
  std::map<int64_t, Phase> by_target;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t position = tap * axis.dilation;
    const int64_t target = ((position - axis.pad_begin) % axis.stride + axis.stride) % axis.stride;
    if (target >= axis.out) continue;
    Phase& phase = by_target.try_emplace(target, Phase{.tap = tap}).first->second;
    ++phase.taps;
    phase.reach = position / axis.stride;
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

bool CoversOutput(const std::vector<Phases>& lists, const WindowAxis& axis) {
  int64_t positions = 0;
  for (const Phases& phases : lists) {
    for (const Phase& phase : phases) positions += phase.count;
  }
  return positions == axis.out;
}

// The convolution that computes all results of a group of phases; it begins at result reach -
// pad_begin.
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

// Copies from results to output. Adjacent phases with the same first result and count share a nest.
// Source strides: from phase to phase and from result to result; target stride: from position to
// position.
std::vector<Nest> NestsOfPhases(const WindowAxis& axis, const Phases& phases, int64_t phase_stride,
                                int64_t result_stride, int64_t position_stride) {
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
                     {distance * position_stride, axis.stride * position_stride},
                     static_cast<int64_t>(i) * phase_stride + (phase.first - begin) * result_stride,
                     phase.target * position_stride});
  }
  return nests;
}

// One group of phases for each of the axes z, y and x.
using PhaseGroup = std::array<Phases, 3>;

size_t CountOf(const PhaseGroup& phases) {
  return phases[0].size() * phases[1].size() * phases[2].size();
}

// A transposed convolution during lowering.
struct Transposed {
  int64_t batch;
  Filters filters;
  Window window;
  FilterWeights weights;  // [groups, in_channels, out_channels, window...]; integers: `computed`
  program::ValueId x, y;
  format::MapStrides x_strides = {}, y_strides = {};  // f32, one or two axes

  std::array<WindowAxis, 3> axes() const { return {window.z, window.y, window.x}; }
};

// Reorders the taps of the phases for their convolution: from weights [groups, in, out, window...]
// to [groups, out, phases, in, taps...], or to [phases, out, in, taps...] for a single group.
std::vector<Nest> RegroupedTaps(const Transposed& node, const PhaseGroup& phases,
                                bool phases_first) {
  const Filters& filters = node.filters;
  const std::array<WindowAxis, 3> axes = node.axes();
  const Dims window = {axes[0].kernel, axes[1].kernel, axes[2].kernel};
  const Dims from = program::DenseStrides(
      {filters.groups, filters.in_channels, filters.out_channels, window[0], window[1], window[2]});
  const Dims taps = {phases[0][0].taps, phases[1][0].taps, phases[2][0].taps};
  const auto count = static_cast<int64_t>(CountOf(phases));
  Dims to = program::DenseStrides({filters.groups, filters.out_channels, count, filters.in_channels,
                                   taps[0], taps[1], taps[2]});
  if (phases_first) {
    to[1] = to[2];
    to[2] *= filters.out_channels;
  }
  std::vector<Nest> nests;
  for (const Phase& z : phases[0]) {
    for (const Phase& y : phases[1]) {
      for (const Phase& x : phases[2]) {
        Nest nest = {{filters.groups, filters.out_channels, filters.in_channels},
                     {from[0], from[2], from[1]},
                     {to[0], to[1], to[3]},
                     0,
                     std::ssize(nests) * to[2]};
        const Phase* at[] = {&z, &y, &x};
        for (size_t i = 0; i < 3; ++i) {
          const int64_t distance = TapDistance(axes[i]);
          nest.counts.push_back(taps[i]);
          nest.source_strides.push_back(-distance * from[3 + i]);
          nest.target_strides.push_back(to[4 + i]);
          nest.source_offset += (at[i]->tap + (taps[i] - 1) * distance) * from[3 + i];
        }
        nests.push_back(std::move(nest));
      }
    }
  }
  return nests;
}

// Moves elements of constants like EmitMovement of the nest.
void MoveElements(const Nest& nest, const std::vector<float>& from, std::vector<float>& to) {
  const int64_t count = ProductOf(nest.counts, 0, nest.counts.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t source = nest.source_offset, target = nest.target_offset, rest = i;
    for (size_t axis = nest.counts.size(); axis-- > 0; rest /= nest.counts[axis]) {
      source += rest % nest.counts[axis] * nest.source_strides[axis];
      target += rest % nest.counts[axis] * nest.target_strides[axis];
    }
    to[static_cast<size_t>(target)] = from[static_cast<size_t>(source)];
  }
}

FilterWeights Regrouped(program::Builder& builder, const Transposed& node, const PhaseGroup& phases,
                        bool phases_first) {
  const std::vector<Nest> nests = RegroupedTaps(node, phases, phases_first);
  int64_t count = 0;
  for (const Nest& nest : nests) count += ProductOf(nest.counts, 0, nest.counts.size());
  if (node.weights.known) {
    return {node.weights.known->Arranged([&](const std::vector<float>& all) {
      std::vector<float> weights(static_cast<size_t>(count));
      for (const Nest& nest : nests) MoveElements(nest, all, weights);
      return weights;
    })};
  }
  const program::ValueId weights = builder.Scratch({builder.type(node.x), {count}});
  EmitMovement(builder, node.weights.computed, weights, {nests});
  return {std::nullopt, weights};
}

// Emits the convolution for the type of x.
void EmitConvolved(program::Builder& builder, const Convolution& node, program::ValueId x,
                   program::ValueId y) {
  if (builder.type(x) == ElementType::f32) return EmitConvolution(builder, node, x, y);
  EmitIntegerConv(builder, node.batch, node.filters, node.window, x, node.weights.computed, y);
}

Window WindowOver(const Transposed& node, const PhaseGroup& phases) {
  return {WindowOver(node.window.y, phases[1]), WindowOver(node.window.x, phases[2]),
          node.window.axis_count, WindowOver(node.window.z, phases[0])};
}

// Returns true if the results of a single phase are the complete output, in its order.
bool AreAll(const Transposed& node, const PhaseGroup& phases, const Window& over) {
  const std::array<WindowAxis, 3> axes = node.axes();
  const int64_t out[] = {over.z.out, over.y.out, over.x.out};
  for (size_t i = 0; i < 3; ++i) {
    if (out[i] != axes[i].out || phases[i][0].count != axes[i].out) return false;
  }
  return true;
}

// Strides and offset of the results in y.
struct Target {
  format::MapStrides strides;
  int64_t offset = 0;
};

// Distance between the targets of consecutive phases, 0 for a single phase. Returns nullopt if it
// is not constant, or if a phase does not cover all results of the convolution.
std::optional<int64_t> DistanceOf(const Phases& phases, const WindowAxis& over) {
  const int64_t distance = phases.size() > 1 ? phases[1].target - phases[0].target : 0;
  for (size_t i = 0; i < phases.size(); ++i) {
    const bool is_next = phases[i].target == phases[0].target + static_cast<int64_t>(i) * distance;
    if (!is_next || phases[i].first != phases[0].first || phases[i].count != over.out) {
      return std::nullopt;
    }
  }
  return distance;
}

// The target for phases whose results one step can write directly into y: its channels, the
// channels of y for each phase, must have a constant stride.
std::optional<Target> TargetOf(const Transposed& node, const PhaseGroup& phases, const Window& over,
                               ElementType type) {
  if (type != ElementType::f32 || over.axis_count == 3) return std::nullopt;
  if (node.filters.groups > 1 && CountOf(phases) > 1) return std::nullopt;
  const format::MapStrides& y = node.y_strides;
  const auto down = DistanceOf(phases[1], over.y), across = DistanceOf(phases[2], over.x);
  if (!down || !across) return std::nullopt;
  const std::pair<int64_t, int64_t> axes[] = {
      {node.filters.out_channels, y.channel()},
      {std::ssize(phases[2]), *across * y.pixel()},
      {std::ssize(phases[1]), *down * y.row()},
  };
  int64_t step = y.channel(), next = 0;  // 0: none so far
  for (const auto& [count, stride] : axes) {
    if (count == 1) continue;
    if (next != 0 && stride != next) return std::nullopt;
    if (next == 0) step = stride;
    next = stride * count;
  }
  // A single result has no stride to the next one.
  const auto strided = [](const WindowAxis& axis, const WindowAxis& results, int64_t stride) {
    return Narrow32(results.out > 1 ? axis.stride * stride : stride, "stride of a map");
  };
  return Target{{y.image(), strided(node.window.y, over.y, y.row()),
                 strided(node.window.x, over.x, y.pixel()), Narrow32(step, "channel stride")},
                phases[1][0].target * y.row() + phases[2][0].target * y.pixel()};
}

// The part of y that a convolution writes.
program::ValueId PartOf(program::Builder& builder, program::ValueId y, const Convolution& node,
                        const Target& target) {
  const int64_t channels = node.filters.groups * node.filters.out_channels;
  const format::MapStrides& strides = target.strides;
  const int64_t reach =
      1 + (node.batch - 1) * strides.image() + (node.window.y.out - 1) * strides.row() +
      (node.window.x.out - 1) * strides.pixel() + (channels - 1) * strides.channel();
  if (reach == ElementCount(builder.dims(y))) return y;
  return builder.View(y, target.offset * int64_t{sizeof(float)}, {ElementType::f32, {reach}});
}

// Moves the results of a convolution over phases to the output. Its channels are those of the
// output, each with all phases.
Movement ToOutput(const Transposed& node, const PhaseGroup& phases, const Window& over) {
  const std::array<WindowAxis, 3> axes = node.axes();
  const Dims made = {over.z.out, over.y.out, over.x.out};
  const Dims result_strides = program::DenseStrides(made);
  const int64_t volume = ProductOf(made, 0, 3),
                channels = node.filters.groups * node.filters.out_channels;
  Dims position_strides = program::DenseStrides({axes[0].out, axes[1].out, axes[2].out});
  int64_t channel = position_strides[0] * axes[0].out, image = channel * channels;
  if (over.axis_count < 3) {
    position_strides = {0, node.y_strides.row(), node.y_strides.pixel()};
    channel = node.y_strides.channel();
    image = node.y_strides.image();
  }
  int64_t phase_stride = static_cast<int64_t>(CountOf(phases)) * volume;
  Movement movement = {
      {Nest{{node.batch, channels}, {channels * phase_stride, phase_stride}, {image, channel}}}};
  for (size_t i = 0; i < 3; ++i) {
    phase_stride /= std::ssize(phases[i]);
    movement.push_back(
        NestsOfPhases(axes[i], phases[i], phase_stride, result_strides[i], position_strides[i]));
  }
  return movement;
}

// Computes phases that are in one group along all axes by one convolution, with copies if it cannot
// write its results directly.
void EmitPhases(program::Builder& builder, const Transposed& node, const PhaseGroup& phases) {
  const Window over = WindowOver(node, phases);
  const std::optional<Target> target = TargetOf(node, phases, over, builder.type(node.x));
  Convolution convolution = {node.batch, node.filters, over,
                             Regrouped(builder, node, phases, target.has_value())};
  const auto count = static_cast<int64_t>(CountOf(phases));
  convolution.filters.out_channels *= count;
  convolution.filters.window = {over.y.kernel, over.x.kernel};
  if (over.axis_count == 3) {
    convolution.filters.window.insert(convolution.filters.window.begin(), over.z.kernel);
  }
  SetPlanes(convolution);
  convolution.is_part = true;
  convolution.x_strides = node.x_strides;
  if (target) {
    convolution.y_strides = target->strides;
    return EmitConvolution(builder, convolution, node.x,
                           PartOf(builder, node.y, convolution, *target));
  }
  if (AreAll(node, phases, over)) return EmitConvolved(builder, convolution, node.x, node.y);
  const int64_t channels = node.batch * node.filters.groups * node.filters.out_channels;
  const program::ValueId results = builder.Scratch(
      {builder.type(node.x), {channels * count, over.z.out, over.y.out, over.x.out}});
  EmitConvolved(builder, convolution, node.x, results);
  EmitMovement(builder, results, node.y, ToOutput(node, phases, over));
}

// Separate phases need no memory in addition to the output. A shared step is used if it saves
// weight panels, whose empty outputs cost as much as full ones, or if there are many phases.
bool AreOneStep(const Filters& filters, size_t phases) {
  constexpr size_t kMaxApart = 16;
  if (phases > kMaxApart) return true;
  if (IsDepthwise(filters)) return phases == 1;
  const auto channels = static_cast<size_t>(filters.out_channels);
  const auto panels = [](size_t outputs) {
    return kernels::PanelCount(Narrow32(outputs, "out channels"));
  };
  return phases == 1 || panels(phases * channels) < phases * panels(channels);
}

void EmitGroup(program::Builder& builder, const Transposed& node, const PhaseGroup& phases) {
  const bool is_evenly_placed =
      TargetOf(node, phases, WindowOver(node, phases), builder.type(node.x)).has_value();
  if (is_evenly_placed || AreOneStep(node.filters, CountOf(phases))) {
    return EmitPhases(builder, node, phases);
  }
  for (const Phase& z : phases[0]) {
    for (const Phase& y : phases[1]) {
      for (const Phase& x : phases[2]) EmitPhases(builder, node, {Phases{z}, Phases{y}, Phases{x}});
    }
  }
}

void LowerTransposed(LowerScope& scope) {
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const bool is_integer = scope.input_element(kData) != ElementType::f32;
  Transposed node = {
      scope.input_dims(kData)[0],
      TransposedFilters(scope),
      TransposedWindow(scope),
      is_integer ? FilterWeights{std::nullopt, scope.input(kFilters)} : WeightsOf(scope),
      scope.input(kData),
      y};
  const Window& window = node.window;
  const Filters& filters = node.filters;
  const auto x_strides_of = scope.attributes.Has(kXLast) ? LastOf : PlanesOf;
  const auto y_strides_of = scope.attributes.Has(kYLast) ? LastOf : PlanesOf;
  node.x_strides = x_strides_of(filters.groups * filters.in_channels, window.y.in, window.x.in);
  node.y_strides = y_strides_of(filters.groups * filters.out_channels, window.y.out, window.x.out);
  std::array<std::vector<Phases>, 3> lists;
  bool covers = true;
  for (size_t i = 0; i < 3; ++i) {
    lists[i] = PhasesOfAxis(node.axes()[i]);
    covers = covers && CoversOutput(lists[i], node.axes()[i]);
  }
  if (!covers) builder.Fill(y);
  for (const Phases& deep : lists[0]) {
    for (const Phases& down : lists[1]) {
      for (const Phases& across : lists[2]) EmitGroup(builder, node, {deep, down, across});
    }
  }
}

// A given output shape is fixed, so that the time axis cannot change.
void TransposedAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  Window window = TransposedWindow(scope);
  scope.relation.reason = "has windows over time";
  for (size_t i = 0; i < window.axis_count; ++i) {
    const WindowAxis& axis = window.axis(i);
    const auto at = static_cast<int64_t>(i) + 2;
    if (axis.stride > 1) scope.relation.reason = "upsamples the time axis";
    if (scope.has_input(kOutputShape)) continue;
    if (axis.is_alone()) scope.Pair(0, at, 0, at);
    std::optional<Windows> windows = WindowsOf(scope, window, i);
    if (windows && IsFinite(scope, kFilters)) {
      windows->spread = true;
      scope.relation.windows.push_back(*std::move(windows));
    }
    const std::optional<Delay> delay = SpreadDelayOf(window, i);
    if (delay && (delay->past == 0 || IsFinite(scope, kFilters))) {
      scope.relation.delays.push_back(*delay);
    }
  }
}

constexpr Traits kTransposed = {.axes = TransposedAxes,
                                .permutation = ConvolutionPermutation,
                                .steering = Steering::kShape,
                                .steered_from = kOutputShape,
                                .heavy = true};

constexpr Operation kTransposedRows[] = {
    {"ConvolutionBackpropData", 1, 2, 3, InferTransposed<false>, LowerNarrow<LowerTransposed>,
     kTransposed},
    {"GroupConvolutionBackpropData", 1, 2, 3, InferTransposed<true>, LowerNarrow<LowerTransposed>,
     kTransposed},
};

}  // namespace

std::span<const Operation> TransposedConvolutionOperations() { return kTransposedRows; }

}  // namespace weft::ops
