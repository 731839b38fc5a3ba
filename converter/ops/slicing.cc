// SPDX-License-Identifier: Apache-2.0
// Slice and StridedSlice: begin, end and step per axis, NumPy's clamping. A slice that is one piece
// of its input is a view; any other is one strided copy. A Slice of one axis may start where the
// run says, if it stops a known number of places behind and both are known to be inside the axis:
// that is a gather.
#include "converter/ops/slicing.h"

#include <algorithm>
#include <numeric>

#include "converter/ops/axes.h"
#include "converter/ops/bounds.h"
#include "converter/ops/families.h"
#include "converter/ops/places.h"
#include "converter/ops/pointwise.h"

namespace weft::ops {
namespace {

// An unset bound is the natural end for the direction of the step.
struct Bounds {
  std::optional<int64_t> begin, end;
  int64_t step = 1;
};

// Places of an axis that the bounds choose; out-of-range bounds are clamped.
Run RunOf(const Bounds& bounds, int64_t dim) {
  const int64_t low = bounds.step > 0 ? 0 : -1;
  const int64_t high = bounds.step > 0 ? dim : dim - 1;
  const auto clamped = [&](int64_t bound) {
    return std::clamp(bound < 0 ? bound + dim : bound, low, high);
  };
  const int64_t natural_begin = bounds.step > 0 ? low : high;
  const int64_t natural_end = bounds.step > 0 ? high : low;
  const int64_t begin = bounds.begin ? clamped(*bounds.begin) : natural_begin;
  const int64_t end = bounds.end ? clamped(*bounds.end) : natural_end;
  const int64_t distance = bounds.step > 0 ? end - begin : begin - end;
  if (distance <= 0) return {0, 0, 0, 1};
  // A step beyond the axis takes one place; the bound keeps its negation and products in range.
  const int64_t step = std::clamp(bounds.step, -dim, dim);
  return {0, 1 + (distance - 1) / std::abs(step), begin, step};
}

void Keep(Cut& cut, const Run& run, bool shrinks = false) {
  cut.runs.push_back({run});
  cut.kept.push_back(run.count);
  cut.places.push_back(shrinks ? -1 : static_cast<int64_t>(cut.output.size()));
  if (!shrinks) cut.output.push_back(run.count);
}

bool CheckSteps(NodeScope& scope, const Dims& steps) {
  if (std::find(steps.begin(), steps.end(), 0) == steps.end()) return true;
  scope.Fault("steps {} hold 0; must be positive or negative", ToString(steps));
  return false;
}

// Axes of Slice: input i, or the first ones in order. Negatives count from the end.
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
    if (axis < -scope.rank(0) || axis >= scope.rank(0)) {
      scope.Fault("axis {} of a rank {} tensor; must be from {} to {}", axis, scope.rank(0),
                  -scope.rank(0), scope.rank(0) - 1);
      return std::nullopt;
    }
    if (axis < 0) axis += scope.rank(0);
    if (seen[static_cast<size_t>(axis)]) {
      scope.Fault("axes name axis {} twice; must be different", axis);
      return std::nullopt;
    }
    seen[static_cast<size_t>(axis)] = true;
  }
  return axes;
}

// `first` is the input that says where the slice starts; stop, step and axes stand behind it.
std::optional<Cut> ReadSlice(NodeScope& scope, size_t first) {
  const std::optional<Dims> begin = ControlInts(scope, first, "start");
  if (!begin) return std::nullopt;
  const int64_t count = static_cast<int64_t>(begin->size());
  const std::optional<Dims> end = ControlInts(scope, first + 1, "stop", count);
  const std::optional<Dims> step = ControlInts(scope, first + 2, "step", count);
  const std::optional<Dims> axes = SliceAxes(scope, first + 3, begin->size());
  if (!end || !step || !axes || !CheckSteps(scope, *step)) return std::nullopt;
  std::vector<Bounds> bounds(scope.input_dims(0).size());
  for (size_t i = 0; i < begin->size(); ++i) {
    bounds[static_cast<size_t>((*axes)[i])] = {(*begin)[i], (*end)[i], (*step)[i]};
  }
  Cut cut;
  for (size_t axis = 0; axis < bounds.size(); ++axis) {
    Keep(cut, RunOf(bounds[axis], scope.input_dims(0)[axis]));
  }
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

// One place of the axis that goes from the dims. A masked begin is 0.
std::optional<Run> ShrinkingRun(NodeScope& scope, int64_t index, size_t axis) {
  const int64_t dim = scope.input_dims(0)[axis];
  if (index < -dim || index >= dim) {
    scope.Fault("begin {} takes one place of axis {}, which has {}; must be from {} to {}", index,
                axis, dim, -dim, dim - 1);
    return std::nullopt;
  }
  return Run{0, 1, index < 0 ? index + dim : index, 1};
}

// Input axes that an ellipsis at `at` stands for.
int64_t EllipsisAxes(const NodeScope& scope, const Masks& masks, size_t at, size_t axis) {
  int64_t later = 0;
  for (size_t i = at + 1; i < masks.new_axis.size(); ++i) later += 1 - masks.new_axis[i];
  return scope.rank(0) - static_cast<int64_t>(axis) - later;
}

// An entry is the ellipsis, else a new axis, else a place that shrinks away, else a range.
std::optional<Cut> CutByEntries(NodeScope& scope, const Dims& begin, const Dims& end,
                                const Dims& step, const Masks& masks) {
  const Dims& dims = scope.input_dims(0);
  Cut cut;
  for (size_t i = 0; i < begin.size(); ++i) {
    const size_t axis = cut.runs.size();
    if (masks.ellipsis[i] != 0) {
      const int64_t covered = EllipsisAxes(scope, masks, i, axis);
      for (int64_t k = 0; k < covered; ++k) Keep(cut, RunOf({}, dims[cut.runs.size()]));
      continue;
    }
    if (masks.new_axis[i] != 0) {
      cut.output.push_back(1);
      continue;
    }
    if (axis == dims.size()) {
      scope.Fault("{} entries of begin reach beyond rank {} at entry {}", begin.size(), dims.size(),
                  i);
      return std::nullopt;
    }
    if (masks.shrink_axis[i] != 0) {
      const auto run = ShrinkingRun(scope, masks.begin[i] != 0 ? 0 : begin[i], axis);
      if (!run) return std::nullopt;
      Keep(cut, *run, /*shrinks=*/true);
      continue;
    }
    Bounds bounds{begin[i], end[i], step[i]};
    if (masks.begin[i] != 0) bounds.begin.reset();
    if (masks.end[i] != 0) bounds.end.reset();
    Keep(cut, RunOf(bounds, dims[axis]));
  }
  while (cut.runs.size() < dims.size()) Keep(cut, RunOf({}, dims[cut.runs.size()]));
  return cut;
}

std::optional<Cut> ReadStridedSlice(NodeScope& scope) {
  const std::optional<Dims> begin = ControlInts(scope, 1, "begin");
  if (!begin) return std::nullopt;
  const int64_t count = static_cast<int64_t>(begin->size());
  const std::optional<Dims> end = ControlInts(scope, 2, "end", count);
  std::optional<Dims> step = Dims(begin->size(), 1);
  if (scope.has_input(3)) step = ControlInts(scope, 3, "strides", count);
  const std::optional<Masks> masks = ReadMasks(scope, begin->size());
  if (!end || !step || !masks || !CheckSteps(scope, *step)) return std::nullopt;
  return CutByEntries(scope, *begin, *end, *step, *masks);
}

// A slice [start, start + count) of one axis by a start that the run computes.
struct ComputedSlice {
  size_t axis = 0;
  int64_t count = 0;
  IntegerBounds start;
};

// nullopt where the node is none.
std::optional<ComputedSlice> ComputedSliceOf(const NodeScope& scope) {
  constexpr size_t kStart = 1, kStop = 2, kStep = 3, kAxes = 4;
  if (scope.node().operation->name != "Slice" || scope.constant(kStart) != nullptr) {
    return std::nullopt;
  }
  const ElementType type = scope.input_element(kStart);
  const std::optional<Dims> step = scope.Ints(kStep);
  const Dims axes = scope.has_input(kAxes) ? scope.Ints(kAxes).value_or(Dims()) : Dims{0};
  const int64_t rank = scope.rank(0);
  if ((type != ElementType::i32 && type != ElementType::i64) || step != Dims{1} ||
      scope.input_dims(kStart) != Dims{1} || scope.input_dims(kStop) != Dims{1} ||
      axes.size() != 1 || axes[0] < -rank || axes[0] >= rank) {
    return std::nullopt;
  }
  const ir::Source& start = scope.node().inputs[kStart];
  const OffsetValue from = OffsetValueOf(start), to = OffsetValueOf(scope.node().inputs[kStop]);
  const int64_t count = to.offset - from.offset;
  if (!(from.base == to.base) || count < 0) return std::nullopt;
  return ComputedSlice{WrappedAxis(axes[0], rank), count, BoundsOf(start)};
}

void InferComputedSlice(InferScope& scope, const ComputedSlice& slice) {
  Dims dims = scope.input_dims(0);
  int64_t& dim = dims[slice.axis];
  if (slice.start.low < 0 || slice.start.high > dim - slice.count) {
    return scope.Fault(
        "takes {} places of axis {}, which has {}, from a start that the run computes; must start "
        "from 0 to {} for certain (a Clamp before it says so)",
        slice.count, slice.axis, dim, dim - slice.count);
  }
  dim = slice.count;
  if (HasWholeBytes(scope, 0)) scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

void LowerComputedSlice(LowerScope& scope, const ComputedSlice& slice) {
  plan::Builder& builder = scope.builder;
  const Dims dims = scope.input_dims(0);
  const plan::ValueId y = scope.NewOutput(0);
  if (ElementCount(scope.output_type(0).dims) == 0) return;
  const plan::ValueId x = scope.input(0), start = scope.input(1);
  const ElementType type = builder.type(start);
  plan::ValueId places = start;
  if (slice.count > 1) {
    places = builder.Scratch({type, {slice.count}});
    EmitBinary(builder, format::BinaryOp::add,
               {PlaceNumbers(builder, type, slice.count), {slice.count}}, {start, {1}}, places);
  }
  const GatherGeometry geometry = {1, ProductOf(dims, 0, slice.axis), dims[slice.axis],
                                   ProductOf(dims, slice.axis + 1, dims.size()), slice.count};
  EmitGather(builder, geometry, x, places, y);
}

void InferSlicing(InferScope& scope) {
  if (const auto computed = ComputedSliceOf(scope)) return InferComputedSlice(scope, *computed);
  std::optional<Cut> cut = CutOf(scope);
  if (cut) scope.SetOutput(0, scope.input_element(0), std::move(cut->output));
}

void LowerSlicing(LowerScope& scope) {
  if (const auto computed = ComputedSliceOf(scope)) return LowerComputedSlice(scope, *computed);
  const Cut cut = CutOf(scope).value();
  MoveToOutput(scope, 0, MovementOf(cut.runs, scope.input_dims(0), cut.kept), 0);
}

// An axis that is taken whole goes on; of others a piece may be all that is left.
void SlicingAxes(AxisScope& scope) {
  scope.relation.reason = "slices the time axis";
  if (const auto computed = ComputedSliceOf(scope)) {
    return scope.Same(0, 0, OnlyAxis(scope, static_cast<int64_t>(computed->axis)));
  }
  const std::optional<Cut> cut = CutOf(scope);
  scope.relation.selects = true;
  if (!cut) return;
  scope.relation.runs = cut->runs;
  for (size_t axis = 0; axis < cut->kept.size(); ++axis) {
    const Run& run = cut->runs[axis][0];
    const int64_t dim = scope.in(0)[axis];
    const auto at = static_cast<int64_t>(axis);
    if (cut->places[axis] != -1 && run.count == dim && (run.step == 1 || dim == 1)) {
      scope.Pair(0, at, 0, cut->places[axis]);
    } else if (run.count > 0 && (run.step == 1 || run.count == 1)) {
      scope.relation.selections.push_back({at, run.source, run.source + run.count});
    }
  }
}

constexpr Operation kSlicingRows[] = {
    {"Slice", 8, 4, 5, InferSlicing, LowerSlicing, ShapedBy(SlicingAxes)},
    {"StridedSlice", 1, 3, 4, InferSlicing, LowerSlicing, ShapedBy(SlicingAxes)},
};

}  // namespace

std::optional<Cut> CutOf(NodeScope& scope) {
  const std::string_view name = scope.node().operation->name;
  if (name == "SliceScatter") return ReadSlice(scope, 2);
  return name == "Slice" ? ReadSlice(scope, 1) : ReadStridedSlice(scope);
}

std::span<const Operation> SlicingOperations() { return kSlicingRows; }

}  // namespace weft::ops
