// SPDX-License-Identifier: Apache-2.0
// Slice and StridedSlice: begin, end and step per axis with NumPy's clamping. A contiguous slice is
// a view; any other is one strided copy. If the run computes a bound or the extent of the axis, the
// slice is a gather. Its length is a run-time length, unless the bounds have a known distance and
// are certainly inside the axis.
#include "converter/ops/core/slicing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/permutation.h"

namespace weft::ops {
namespace {

// Returns true if the operation supports bounds that the run computes.
bool MayBeComputed(const NodeScope& scope) {
  return scope.node().operation->name != "SliceScatter";
}

// Returns true if the run decides the extent of this axis of input 0.
bool HasLengthOn(const NodeScope& scope, size_t axis) {
  const auto& extent = ir::ExtentOf(scope.node().inputs[0]);
  return MayBeComputed(scope) && extent && extent->axis == axis;
}

bool IsWhole(const Run& run, int64_t dim) {
  return run.count == dim && (run.step == 1 || dim == 1);
}

void Keep(Cut& cut, const Run& run, bool shrinks = false) {
  cut.runs.push_back({run});
  cut.kept.push_back(run.count);
  cut.positions.push_back(shrinks ? -1 : static_cast<int64_t>(cut.output.size()));
  if (!shrinks) cut.output.push_back(run.count);
}

Run KnownRun(const ComputedRange& range, int64_t dim) {
  if (!range.shrinks) return RunBetween(range.begin.known, range.end.known, range.step, dim);
  const int64_t position = range.begin.known.value_or(0);
  return {0, 1, position < 0 ? position + dim : position, 1};
}

// Adds the range of the next axis: a run if all of it is known, else a computed range.
void KeepRange(NodeScope& scope, Cut& cut, ComputedRange range) {
  range.axis = cut.runs.size();
  const int64_t dim = scope.input_dims(0)[range.axis];
  const bool is_known = !range.begin.computed && !range.end.computed;
  const Run run = KnownRun(range, dim);
  const bool is_whole = !range.shrinks && IsWhole(run, dim);
  if (is_known && (is_whole || !HasLengthOn(scope, range.axis))) {
    return Keep(cut, run, range.shrinks);
  }
  const int64_t max_step = std::max<int64_t>(dim, 1);
  range.step = std::clamp(range.step, -max_step, max_step);
  Keep(cut, {0, dim, 0, 1}, range.shrinks);
  if (!range.shrinks) cut.output.back() = CountOfRange(scope, range).max;
  cut.computed.push_back(std::move(range));
}

bool CheckSteps(NodeScope& scope, const Dims& steps) {
  if (std::find(steps.begin(), steps.end(), 0) == steps.end()) return true;
  scope.Fault("steps {} hold 0; must be positive or negative", ToString(steps));
  return false;
}

// Axes of Slice: input i, or the first axes in order. Negative axes count from the end.
std::optional<Dims> SliceAxes(NodeScope& scope, size_t i, size_t count) {
  Dims axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  if (scope.has_input(i)) {
    const std::optional<Dims> given = ControlInts(scope, i, "axes", static_cast<int64_t>(count));
    if (!given) return std::nullopt;
    axes = *given;
  }
  std::vector<bool> seen(scope.input_dims(0).size(), false);
  for (int64_t& axis : axes) {
    const std::optional<int64_t> normal = scope.NormalAxis(axis, scope.rank(0));
    if (!normal) return std::nullopt;
    axis = *normal;
    if (seen[static_cast<size_t>(axis)]) {
      scope.Fault("axes name axis {} twice; must be different", axis);
      return std::nullopt;
    }
    seen[static_cast<size_t>(axis)] = true;
  }
  return axes;
}

// One bound per element of an input; `count` of them if it is not negative. Bounds may be computed
// by the run, except for SliceScatter.
std::optional<std::vector<Bound>> ReadBounds(NodeScope& scope, size_t i, std::string_view what,
                                             int64_t count = -1) {
  std::vector<Bound> bounds;
  const ElementType type = scope.input_element(i);
  const bool may_compute = MayBeComputed(scope) && scope.rank(i) == 1 &&
                           (type == ElementType::i32 || type == ElementType::i64);
  if (!may_compute || scope.constant(i) != nullptr) {
    const std::optional<Dims> known = ControlInts(scope, i, what, count);
    if (!known) return std::nullopt;
    for (const int64_t number : *known) bounds.push_back({number, std::nullopt, i});
    return bounds;
  }
  const int64_t entries = scope.input_dims(i)[0];
  if (count >= 0 && entries != count) {
    scope.Fault("input {} ({}) has {} elements; must have {}", i, what, entries, count);
    return std::nullopt;
  }
  for (int64_t at = 0; at < entries; ++at) {
    const Element element = {scope.node().inputs[i], static_cast<size_t>(at)};
    const std::optional<int64_t> known = KnownValue(element);
    bounds.push_back({known, known ? std::nullopt : std::optional(element), i});
  }
  return bounds;
}

// `first` is the index of the input with the start; stop, step and axes follow.
std::optional<Cut> ReadSlice(NodeScope& scope, size_t first) {
  const std::optional<std::vector<Bound>> begin = ReadBounds(scope, first, "start");
  if (!begin) return std::nullopt;
  const int64_t count = std::ssize(*begin);
  const std::optional<std::vector<Bound>> end = ReadBounds(scope, first + 1, "stop", count);
  const std::optional<Dims> step = ControlInts(scope, first + 2, "step", count);
  const std::optional<Dims> axes = SliceAxes(scope, first + 3, begin->size());
  if (!end || !step || !axes || !CheckSteps(scope, *step)) return std::nullopt;
  std::vector<ComputedRange> ranges(scope.input_dims(0).size());
  for (size_t i = 0; i < begin->size(); ++i) {
    ComputedRange& range = ranges[static_cast<size_t>((*axes)[i])];
    range = {0, (*begin)[i], (*end)[i], (*step)[i]};
  }
  Cut cut;
  for (const ComputedRange& range : ranges) KeepRange(scope, cut, range);
  return cut;
}

// The masks of StridedSlice, padded with zeros to the number of entries.
struct Masks {
  Dims begin, end, new_axis, shrink_axis, ellipsis;
};

std::optional<Masks> ReadMasks(NodeScope& scope, size_t entries) {
  const auto read = [&](std::string_view key) {
    Dims mask = scope.attributes.Ints(key);
    for (const int64_t bit : mask) {
      if (bit != 0 && bit != 1) scope.Fault("{} is {}; must hold 0 and 1", key, ToString(mask));
    }
    mask.resize(entries, 0);
    return mask;
  };
  const Masks masks = {read("begin_mask"), read("end_mask"), read("new_axis_mask"),
                       read("shrink_axis_mask"), read("ellipsis_mask")};
  const auto ellipses = std::count(masks.ellipsis.begin(), masks.ellipsis.end(), 1);
  if (ellipses > 1) {
    scope.Fault("ellipsis_mask has {} ones; must have at most 1", ellipses);
  }
  if (scope.failed()) return std::nullopt;
  return masks;
}

// Checks an index that selects one position of an axis and removes the axis.
bool CheckShrinking(NodeScope& scope, const Bound& position, size_t axis) {
  const int64_t dim = scope.input_dims(0)[axis];
  if (!position.known && dim > 0) return true;
  if (!position.known) {
    scope.Fault("selects one element of axis {}, which has none", axis);
    return false;
  }
  if (*position.known >= -dim && *position.known < dim) return true;
  scope.Fault("begin {} selects one element of axis {}, which has {}; must be from {} to {}",
              *position.known, axis, dim, -dim, dim - 1);
  return false;
}

// Number of input axes that an ellipsis at entry `at` covers.
int64_t EllipsisAxes(const NodeScope& scope, const Masks& masks, size_t at, size_t axis) {
  int64_t later = 0;
  for (size_t i = at + 1; i < masks.new_axis.size(); ++i) later += 1 - masks.new_axis[i];
  return scope.rank(0) - static_cast<int64_t>(axis) - later;
}

// Each entry is the ellipsis, else a new axis, else an index that removes its axis, else a range.
std::optional<Cut> CutByEntries(NodeScope& scope, const std::vector<Bound>& begin,
                                const std::vector<Bound>& end, const Dims& step,
                                const Masks& masks) {
  const Dims& dims = scope.input_dims(0);
  Cut cut;
  for (size_t i = 0; i < begin.size(); ++i) {
    const size_t axis = cut.runs.size();
    if (masks.ellipsis[i] != 0) {
      const int64_t covered = EllipsisAxes(scope, masks, i, axis);
      for (int64_t k = 0; k < covered; ++k) KeepRange(scope, cut, {});
      continue;
    }
    if (masks.new_axis[i] != 0) {
      cut.output.push_back(1);
      continue;
    }
    if (axis == dims.size()) {
      scope.Fault("{} entries of begin exceed rank {} at entry {}", begin.size(), dims.size(), i);
      return std::nullopt;
    }
    ComputedRange range = {axis, begin[i], end[i], step[i], masks.shrink_axis[i] != 0};
    if (masks.begin[i] != 0) range.begin = {};
    if (masks.end[i] != 0) range.end = {};
    if (range.shrinks && masks.begin[i] != 0) range.begin.known = 0;  // a masked begin is 0
    if (range.shrinks && !CheckShrinking(scope, range.begin, axis)) return std::nullopt;
    KeepRange(scope, cut, range);
  }
  while (cut.runs.size() < dims.size()) KeepRange(scope, cut, {});
  return cut;
}

std::optional<Cut> ReadStridedSlice(NodeScope& scope) {
  const std::optional<std::vector<Bound>> begin = ReadBounds(scope, 1, "begin");
  if (!begin) return std::nullopt;
  const int64_t count = std::ssize(*begin);
  const std::optional<std::vector<Bound>> end = ReadBounds(scope, 2, "end", count);
  std::optional<Dims> step = Dims(begin->size(), 1);
  if (scope.has_input(3)) step = ControlInts(scope, 3, "strides", count);
  const std::optional<Masks> masks = ReadMasks(scope, begin->size());
  if (!end || !step || !masks || !CheckSteps(scope, *step)) return std::nullopt;
  return CutByEntries(scope, *begin, *end, *step, *masks);
}

// At most one output axis may have a run-time length.
void SetLengthOfOutput(InferScope& scope, const Cut& cut) {
  std::optional<ir::RunTimeExtent>& extent = scope.mutable_node().outputs[0].run_time_extent;
  extent.reset();
  for (const ComputedRange& range : cut.computed) {
    const RangeCount count = CountOfRange(scope, range);
    if (count.exact || count.max == 0) continue;
    const auto axis = static_cast<size_t>(cut.positions[range.axis]);
    if (extent) {
      return scope.Fault(
          "axes {} and {} of its output would have run-time lengths; at most one may", extent->axis,
          axis);
    }
    extent = {axis, &scope.node(), 1};
  }
}

void InferSlicing(InferScope& scope) {
  std::optional<Cut> cut = CutOf(scope);
  if (!cut || (!cut->computed.empty() && !HasByteElements(scope, 0))) return;
  scope.SetOutput(0, scope.input_element(0), cut->output);
  SetLengthOfOutput(scope, *cut);
}

// Cuts the axes with known bounds first, then those with computed bounds.
void LowerComputedSlicing(LowerScope& scope, const Cut& cut) {
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  Dims dims = cut.kept;
  const Movement movement = MovementOf(cut.runs, scope.input_dims(0), dims);
  program::ValueId x = Moved(builder, scope.input(0), movement, {type.type, dims});
  program::ValueId length = program::kNone;
  for (const ComputedRange& range : cut.computed) {
    const int64_t max = CountOfRange(scope, range).max;
    // A range that is always empty has no run-time length, so that another axis may have one.
    program::ValueId of_range = program::kNone;
    x = EmitRange(scope, range, x, dims, &of_range);
    if (max > 0 && of_range != program::kNone) length = of_range;
    dims[range.axis] = max;
  }
  if (length != program::kNone) scope.SetLength(length);
  scope.SetOutput(0, builder.View(x, 0, type));
}

void LowerSlicing(LowerScope& scope) {
  const Cut cut = CutOf(scope).value();
  if (!cut.computed.empty()) return LowerComputedSlicing(scope, cut);
  MoveToOutput(scope, 0, MovementOf(cut.runs, scope.input_dims(0), cut.kept), 0);
}

bool IsComputed(const Cut& cut, size_t axis) {
  return std::ranges::any_of(cut.computed,
                             [&](const ComputedRange& range) { return range.axis == axis; });
}

// A complete axis is preserved. A contiguous part is a selection. Every n-th element is a delay
// that consumes n time steps per output step.
void SlicingAxes(AxisScope& scope) {
  scope.relation.reason = "slices the time axis";
  const std::optional<Cut> cut = CutOf(scope);
  const bool is_known = !cut || cut->computed.empty();
  scope.relation.selects = is_known;
  if (!cut) return;
  if (is_known) scope.relation.runs = cut->runs;
  for (size_t axis = 0; axis < cut->kept.size(); ++axis) {
    if (IsComputed(*cut, axis)) continue;
    const Run& run = cut->runs[axis][0];
    const int64_t dim = scope.in(0)[axis];
    const auto at = static_cast<int64_t>(axis);
    if (cut->positions[axis] != -1 && IsWhole(run, dim)) {
      scope.Pair(0, at, 0, cut->positions[axis]);
    } else if (!is_known) {
      continue;  // the other axes would be cut at run time
    } else if (run.count > 0 && (run.step == 1 || run.count == 1)) {
      scope.relation.selections.push_back({at, run.source, run.source + run.count});
    } else if (cut->positions[axis] == at && run.count * run.step == dim && run.source < run.step) {
      scope.relation.delays.push_back({.axis = at, .take = run.step});
    }
  }
}

void SlicePermutation(PermuteScope& scope) {
  constexpr size_t kAxes = 4;
  const size_t rank = scope.dims(In(0)).size();
  if (scope.has_input(kAxes)) {
    scope.MoveAxes(kAxes, rank);
  } else {
    for (int64_t axis = 0; axis < ElementCount(scope.input_dims(1)); ++axis) {
      scope.permutation.ints[kAxes].push_back(LastPosition(axis, rank));
    }
  }
  SamePermutation(scope);
}

// Formats numbers as an attribute list.
std::string ListOf(const Dims& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

// Rewrites the entries to one per input axis, without an ellipsis.
void StridedSlicePermutation(PermuteScope& scope) {
  const std::optional<Cut> cut = CutOf(scope);
  if (!cut || !cut->computed.empty() || !HasChannelAxis(cut->runs.size())) return;
  std::vector<bool> kept;
  for (const int64_t position : cut->positions) kept.push_back(position != -1);
  const auto kept_axes = static_cast<size_t>(std::ranges::count(kept, true));
  if (cut->output.size() != kept_axes || !TieKept(scope, kept)) return;
  Dims begin, end, step, open_end, shrinks;
  for (const size_t axis : LastOrder(kept.size())) {
    const Run& run = cut->runs[axis].front();
    const int64_t after = run.source + run.count * run.step;
    begin.push_back(run.source);
    end.push_back(after);
    step.push_back(run.step);
    open_end.push_back(after < 0);
    shrinks.push_back(!kept[axis]);
  }
  const std::string none = ListOf(Dims(kept.size(), 0));
  scope.permutation.ints = {{1, begin}, {2, end}, {3, step}};
  scope.permutation.attributes = {{"begin_mask", none},
                                  {"end_mask", ListOf(open_end)},
                                  {"new_axis_mask", none},
                                  {"shrink_axis_mask", ListOf(shrinks)},
                                  {"ellipsis_mask", none}};
}

constexpr Traits Slices(void (*permutation)(PermuteScope&)) {
  return {.respects_length = true,
          .picks = true,
          .axes = SlicingAxes,
          .permutation = permutation,
          .steering = Steering::kShape,
          .steered_from = 1};
}

constexpr Operation kSlicingRows[] = {
    {"Slice", 8, 4, 5, InferSlicing, LowerSlicing, Slices(SlicePermutation)},
    {"StridedSlice", 1, 3, 4, InferSlicing, LowerSlicing, Slices(StridedSlicePermutation)},
};

}  // namespace

Run RunBetween(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step,
               int64_t dim) {
  const SliceLimits<int64_t> limits = LimitsOf<int64_t>(step > 0, 0, -1, dim, dim - 1);
  const auto clamped = [&](int64_t bound, const SliceLimits<int64_t>::Range& range) {
    return std::min(std::max(bound < 0 ? bound + dim : bound, range.low), range.high);
  };
  const int64_t first =
      begin ? clamped(*begin, limits.begin) : (step > 0 ? limits.begin.low : limits.begin.high);
  const int64_t last =
      end ? clamped(*end, limits.end) : (step > 0 ? limits.end.high : limits.end.low);
  const int64_t distance = step > 0 ? last - first : first - last;
  if (distance <= 0) return {0, 0, 0, 1};
  // A step larger than the axis selects one position. Clamping keeps its negation and products in
  // range.
  const int64_t clamped_step = std::clamp(step, -dim, dim);
  return {0, 1 + (distance - 1) / std::abs(clamped_step), first, clamped_step};
}

std::optional<Cut> CutOf(NodeScope& scope) {
  const std::string_view name = scope.node().operation->name;
  if (name == "SliceScatter") return ReadSlice(scope, 2);
  return name == "Slice" ? ReadSlice(scope, 1) : ReadStridedSlice(scope);
}

std::span<const Operation> SlicingOperations() { return kSlicingRows; }

}  // namespace weft::ops
