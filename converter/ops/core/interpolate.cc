// SPDX-License-Identifier: Apache-2.0
// Interpolate. All axes whose positions are copied in a few regular runs (mostly integer factors)
// are moved together by strided copies. Any other axis is processed separately: by a gather, or by
// one step per term of the sum that computes a position.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "converter/ops/core/line_matrix.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"
#include "converter/ops/support/resample.h"

namespace weft::ops {
namespace {

// Limits of the copies in one pass; beyond them one gather step per axis is faster.
constexpr size_t kMaxPositionRuns = 4, kMaxResampleCopies = 16;
// Terms per position; more of them use a matrix.
constexpr size_t kMaxTerms = 4;

// Checks that the mode is supported; called if an axis is resized.
void CheckResampleMode(InferScope& scope, const Resampling& resampling) {
  const std::string& mode = resampling.mode;
  if (mode == "nearest") {
    HasByteElements(scope, 0);
    return;
  }
  if (mode == "area") {
    return scope.Fault("mode is area; must be nearest, linear or cubic where the extents change");
  }
  if (scope.input_element(0) != ElementType::f32) {
    scope.Fault("mode is {} and input 0 is {}; mode must be nearest, or the input f32", mode,
                Name(scope.input_element(0)));
  }
}

template <int opset>
void InferInterpolate(InferScope& scope) {
  const std::optional<Resampling> resampling = ReadResampling(scope, opset);
  if (!resampling || scope.failed()) return;
  Dims dims;
  bool all_stay = true;
  for (size_t i = 0; i < resampling->axes.size(); ++i) {
    const ResampledAxis& axis = resampling->axes[i];
    dims.push_back(axis.out);
    if (axis.stays()) continue;
    all_stay = false;
    if (axis.in < 1 || axis.out < 1) {
      scope.Fault("axis {} of {} would become {}; both must be at least 1 if an axis is resized", i,
                  axis.in, axis.out);
    }
  }
  if (!all_stay) CheckResampleMode(scope, *resampling);
  for (const ResampledAxis& axis : resampling->axes) {
    const bool is_wide = resampling->mode.ends_with("_pillow") || resampling->antialias;
    if (is_wide && !axis.stays()) CheckMatrix(scope, axis.in, axis.out);
  }
  if (!scope.failed()) scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

// Output positions from `target` on: `count` data positions, `step` apart, each repeated `repeats`
// times.
struct PositionRun {
  int64_t target = 0, repeats = 1, count = 1, source = 0, step = 1;
};

// Positions equal to `none` are in no run.
std::vector<PositionRun> PositionRunsOf(const Dims& positions, int64_t none) {
  const auto end_of_equal = [&](size_t first) {
    size_t end = first + 1;
    while (end < positions.size() && positions[end] == positions[first]) ++end;
    return end;
  };
  std::vector<PositionRun> runs;
  for (size_t i = 0, end = 0; i < positions.size(); i = end) {
    end = end_of_equal(i);
    if (positions[i] == none) continue;
    const size_t repeats = end - i;
    PositionRun run = {static_cast<int64_t>(i), static_cast<int64_t>(repeats), 1, positions[i], 1};
    while (end < positions.size() && positions[end] != none && end_of_equal(end) - end == repeats) {
      const int64_t step = positions[end] - positions[end - 1];
      if (run.count > 1 && step != run.step) break;
      run.step = step;
      ++run.count;
      end += repeats;
    }
    runs.push_back(run);
  }
  return runs;
}

std::vector<Nest> NestsOfPositionRuns(const std::vector<PositionRun>& runs, int64_t source_stride,
                                      int64_t target_stride) {
  std::vector<Nest> nests;
  for (const PositionRun& one : runs) {
    nests.push_back({{one.count, one.repeats},
                     {one.step * source_stride, 0},
                     {one.repeats * target_stride, target_stride},
                     one.source * source_stride,
                     one.target * target_stride});
  }
  return nests;
}

// The terms of each axis; empty if the axis is not resized.
using TapsByAxis = std::vector<std::vector<ResampleTap>>;

// An intermediate tensor between the data and the output.
struct Resampled {
  program::ValueId value = program::kNone;
  Dims dims;
};

// Axes that are resized together: several by copies, otherwise one.
struct ResamplePass {
  std::vector<size_t> axes;
  bool copies = false;
};

// Shrinking axes are processed first and growing axes last, which keeps intermediates small.
std::vector<ResamplePass> ResamplePasses(const TapsByAxis& taps, const Dims& dims) {
  std::vector<ResamplePass> passes, growing;
  ResamplePass copied;
  copied.copies = true;
  size_t copies = 1;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (taps[axis].empty()) continue;
    const bool moves = taps[axis].size() == 1 && taps[axis][0].moves();
    const size_t runs = moves ? PositionRunsOf(taps[axis][0].positions, dims[axis]).size() : 0;
    if (moves && runs <= kMaxPositionRuns && copies * runs <= kMaxResampleCopies) {
      copies *= std::max<size_t>(runs, 1);
      copied.axes.push_back(axis);
    } else if (static_cast<int64_t>(taps[axis][0].positions.size()) < dims[axis]) {
      passes.push_back({{axis}});
    } else {
      growing.push_back({{axis}});
    }
  }
  if (!copied.axes.empty()) passes.push_back(std::move(copied));
  passes.insert(passes.end(), growing.begin(), growing.end());
  return passes;
}

void CopyPositions(program::Builder& builder, const Resampled& from, const TapsByAxis& taps,
                   const std::vector<size_t>& axes, const Resampled& to) {
  const Dims source = program::DenseStrides(from.dims), target = program::DenseStrides(to.dims);
  Movement movement;
  bool whole = true;
  for (size_t axis = 0; axis < from.dims.size(); ++axis) {
    const int64_t dim = from.dims[axis];
    std::vector<PositionRun> runs = {{.count = dim}};
    if (std::ranges::find(axes, axis) != axes.end()) {
      const Dims& positions = taps[axis][0].positions;
      runs = PositionRunsOf(positions, dim);
      whole = whole && std::ranges::find(positions, dim) == positions.end();
    }
    movement.push_back(NestsOfPositionRuns(runs, source[axis], target[axis]));
  }
  if (!whole) builder.Fill(to.value);
  EmitMovement(builder, from.value, to.value, movement);
}

// An index beyond the axis yields zeros.
void GatherPositions(program::Builder& builder, const Resampled& from, size_t axis,
                     const Dims& positions, program::ValueId to) {
  const GatherGeometry geometry = {1, ProductOf(from.dims, 0, axis), from.dims[axis],
                                   ProductOf(from.dims, axis + 1, from.dims.size()),
                                   std::ssize(positions)};
  EmitKnownGather(builder, geometry, from.value, positions, to);
}

void SumPositions(program::Builder& builder, const Resampled& from, size_t axis,
                  const std::vector<ResampleTap>& taps, const Resampled& to) {
  const TensorType type = {builder.type(to.value), to.dims};
  Dims per_position(to.dims.size(), 1);
  per_position[axis] = to.dims[axis];
  program::ValueId sum = program::kNone;
  for (size_t i = 0; i < taps.size(); ++i) {
    const program::ValueId positions = builder.Scratch(type);
    GatherPositions(builder, from, axis, taps[i].positions, positions);
    const program::ValueId weights =
        builder.WeightsOf({type.type, {to.dims[axis]}}, taps[i].weights);
    const bool is_last = i + 1 == taps.size();
    const program::ValueId term = is_last && i == 0 ? to.value : builder.Scratch(type);
    EmitBinary(builder, format::BinaryOp::multiply, {positions, to.dims}, {weights, per_position},
               term);
    if (i == 0) {
      sum = term;
      continue;
    }
    const program::ValueId next = is_last ? to.value : builder.Scratch(type);
    EmitBinary(builder, format::BinaryOp::add, sum, term, next);
    sum = next;
  }
}

LineMatrix MatrixOfTaps(const std::vector<ResampleTap>& taps, int64_t in, int64_t out) {
  LineMatrix matrix{in, out, std::vector<float>(static_cast<size_t>(in * out), 0)};
  for (const ResampleTap& tap : taps) {
    for (int64_t i = 0; i < out; ++i) {
      const auto at = static_cast<size_t>(i);
      if (tap.positions[at] == in) continue;
      matrix.weights[static_cast<size_t>(i * in + tap.positions[at])] += tap.weights[at];
    }
  }
  return matrix;
}

template <int opset>
void LowerInterpolate(LowerScope& scope) {
  const Resampling resampling = ReadResampling(scope, opset).value();
  TapsByAxis taps;
  for (const ResampledAxis& axis : resampling.axes) {
    taps.push_back(axis.stays() ? std::vector<ResampleTap>() : ResampleTaps(resampling, axis));
  }
  Resampled from = {scope.input(0), scope.input_dims(0)};
  const std::vector<ResamplePass> passes = ResamplePasses(taps, from.dims);
  if (passes.empty()) return scope.Forward(0, 0);
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  for (size_t i = 0; i < passes.size(); ++i) {
    Resampled to = {y, from.dims};
    for (const size_t axis : passes[i].axes) to.dims[axis] = resampling.axes[axis].out;
    if (i + 1 < passes.size()) to.value = builder.Scratch({scope.input_element(0), to.dims});
    const size_t axis = passes[i].axes[0];
    if (passes[i].copies) {
      CopyPositions(builder, from, taps, passes[i].axes, to);
    } else if (taps[axis].size() == 1 && taps[axis][0].moves()) {
      GatherPositions(builder, from, axis, taps[axis][0].positions, to.value);
    } else if (taps[axis].size() > kMaxTerms) {
      const LineMatrix matrix = MatrixOfTaps(taps[axis], from.dims[axis], to.dims[axis]);
      EmitAlong(builder, {from.value, from.dims, 1}, axis, matrix, 1, to.value);
    } else {
      SumPositions(builder, from, axis, taps[axis], to);
    }
    from = to;
  }
}

// The integer factor of an axis whose positions are copied, each repeated `give` times or one of
// `take`. nullopt if the coordinates depend on other extents.
std::optional<Delay> FactorOf(const Resampling& resampling, const ResampledAxis& axis, size_t at) {
  const bool is_whole = axis.out > axis.in ? axis.out % axis.in == 0 : axis.in % axis.out == 0;
  if (resampling.mode != "nearest" || resampling.coordinates == "align_corners" || !is_whole ||
      axis.pad_begin != 0 || axis.pad_end != 0 || axis.in == 1 || axis.out == 1) {
    return std::nullopt;
  }
  Delay delay = {static_cast<int64_t>(at)};
  delay.give = std::max<int64_t>(axis.out / axis.in, 1);
  delay.take = std::max<int64_t>(axis.in / axis.out, 1);
  if (axis.scale != static_cast<float>(delay.give) / static_cast<float>(delay.take)) {
    return std::nullopt;
  }
  for (int64_t extent = 1; extent <= axis.out && delay.take > 1; ++extent) {
    const float scaled = static_cast<float>(extent * delay.take) * axis.scale;
    if (static_cast<int64_t>(scaled) != extent) return std::nullopt;
  }
  const std::vector<ResampleTap> taps = ResampleTaps(resampling, axis);
  if (taps.size() != 1 || !taps[0].moves()) return std::nullopt;
  const Dims& positions = taps[0].positions;
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto first = static_cast<int64_t>(i) / delay.give * delay.take;
    if (positions[i] - first != positions[0] || positions[0] >= delay.take) return std::nullopt;
  }
  // In this mode a single output position reads the first input position, for every factor.
  if (resampling.coordinates == "pytorch_half_pixel" && positions[0] != 0) return std::nullopt;
  return delay;
}

// Axes that are not resized are independent. An axis with a given size changes its extent with that
// size, which requires sizes aligned at the last axis; a scale must keep any extent.
template <int opset>
void InterpolateAxes(AxisScope& scope) {
  scope.relation.reason = "resamples the time axis";
  const std::optional<Resampling> resampling = ReadResampling(scope, opset);
  if (!resampling) return;
  Dims last(resampling->listed.size());
  std::iota(last.begin(), last.end(), scope.rank(0) - static_cast<int64_t>(last.size()));
  const bool by_last_sizes = !resampling->by_scales && resampling->listed == last;
  for (int64_t at = 0; at < scope.rank(0); ++at) {
    const ResampledAxis& axis = resampling->axes[static_cast<size_t>(at)];
    const bool is_listed = std::ranges::find(resampling->listed, at) != resampling->listed.end();
    const bool keeps_any = !is_listed || (resampling->by_scales && axis.scale == 1);
    if (axis.stays() && (keeps_any || by_last_sizes)) scope.Pair(0, at, 0, at);
    if (axis.stays() || !(resampling->by_scales || by_last_sizes)) continue;
    const std::optional<Delay> factor = FactorOf(*resampling, axis, static_cast<size_t>(at));
    if (factor) scope.relation.delays.push_back(*factor);
  }
  scope.relation.stretches = by_last_sizes;
}

// Nearest-neighbour modes copy positions in any axis order. Version 1 has its axes as an attribute,
// later versions as their last input.
template <int opset>
void InterpolatePermutation(PermuteScope& scope) {
  const size_t rank = scope.dims(In(0)).size();
  const std::optional<Resampling> resampling = ReadResampling(scope, opset);
  const bool is_plain = resampling && HasChannelAxis(rank) && resampling->mode == "nearest" &&
                        std::ranges::all_of(resampling->axes, [](const ResampledAxis& axis) {
                          return axis.pad_begin == 0 && axis.pad_end == 0;
                        });
  if (!is_plain) return;
  Dims positions;
  for (const int64_t axis : resampling->listed) positions.push_back(LastPosition(axis, rank));
  if (opset == 1) {
    scope.permutation.attributes["axes"] = fmt::format("{}", fmt::join(positions, ","));
  } else {
    scope.permutation.ints[opset == 4 ? 3 : 2] = std::move(positions);
  }
  SamePermutation(scope);
}

template <int opset>
constexpr Traits kResamples = {.axes = InterpolateAxes<opset>,
                               .permutation = InterpolatePermutation<opset>,
                               .steering = Steering::kShape,
                               .steered_from = 1};

constexpr Operation kInterpolateRows[] = {
    {"Interpolate", 1, 2, 2, InferInterpolate<1>, LowerInterpolate<1>, kResamples<1>},
    {"Interpolate", 4, 3, 4, InferInterpolate<4>, LowerInterpolate<4>, kResamples<4>},
    {"Interpolate", 11, 2, 3, InferInterpolate<11>, LowerInterpolate<11>, kResamples<11>},
};

}  // namespace

std::span<const Operation> InterpolateOperations() { return kInterpolateRows; }

}  // namespace weft::ops
