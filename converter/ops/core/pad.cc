// SPDX-License-Identifier: Apache-2.0
// Pad: each axis grows, or shrinks if a pad is negative. The centre is copied once. A constant
// border is filled; any other border is copied from the input, so that no copy reads the result of
// another copy in the same step.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"

namespace weft::ops {
namespace {

enum class Mode { kConstant, kEdge, kReflect, kSymmetric };
constexpr std::array<std::string_view, 4> kPadModes = {"constant", "edge", "reflect", "symmetric"};

// Maximum number of copies in one pass over the axes; beyond it a temporary value is faster.
constexpr size_t kMaxCopies = 27;

// Keeps sums and differences of pads and positions inside 64 bits.
constexpr int64_t kMaxPad = std::numeric_limits<int32_t>::max();

struct PadSpec {
  Mode mode = Mode::kConstant;
  Dims begin, end;
  Dims output;
};

Mode ReadMode(const NodeScope& scope) {
  const std::string text = scope.attributes.Choice("pad_mode", "constant", kPadModes);
  return static_cast<Mode>(std::find(kPadModes.begin(), kPadModes.end(), text) - kPadModes.begin());
}

// The longest border that can be filled from an axis of extent `dim`.
std::optional<int64_t> LongestBorder(Mode mode, int64_t dim) {
  if (mode == Mode::kReflect) return std::max<int64_t>(dim - 1, 0);
  if (mode == Mode::kSymmetric) return dim;
  if (mode == Mode::kEdge && dim == 0) return 0;
  return std::nullopt;
}

void CheckAxis(NodeScope& scope, PadSpec& spec, size_t axis) {
  const int64_t dim = scope.input_dims(0)[axis];
  for (const int64_t pad : {spec.begin[axis], spec.end[axis]}) {
    if (pad >= -kMaxPad && pad <= kMaxPad) continue;
    scope.Fault("pad {} of axis {}; must be from {} to {}", pad, axis, -kMaxPad, kMaxPad);
    return;
  }
  const auto longer = CheckedSum(dim, spec.begin[axis]);
  const auto length = longer ? CheckedSum(*longer, spec.end[axis]) : std::nullopt;
  if (!length || *length < 0) {
    scope.Fault("axis {} of {} with pads {} and {} is too {}", axis, dim, spec.begin[axis],
                spec.end[axis], length ? "short: its length must not be negative" : "long");
    return;
  }
  const std::optional<int64_t> max = LongestBorder(spec.mode, dim);
  const int64_t border = std::max(spec.begin[axis], spec.end[axis]);
  if (max && border > *max) {
    scope.Fault("pad {} of axis {}, which has {}; mode {} allows at most {}", border, axis, dim,
                kPadModes[static_cast<size_t>(spec.mode)], *max);
    return;
  }
  spec.output[axis] = *length;
}

std::optional<PadSpec> ReadPadSpec(NodeScope& scope) {
  PadSpec spec;
  spec.mode = ReadMode(scope);
  const std::optional<Dims> begin = ControlInts(scope, 1, "pads_begin", scope.rank(0));
  const std::optional<Dims> end = ControlInts(scope, 2, "pads_end", scope.rank(0));
  if (!begin || !end) return std::nullopt;
  spec.begin = *begin;
  spec.end = *end;
  spec.output = scope.input_dims(0);
  for (size_t axis = 0; axis < spec.output.size(); ++axis) CheckAxis(scope, spec, axis);
  if (scope.failed()) return std::nullopt;
  return spec;
}

void InferPad(InferScope& scope) {
  if (scope.has_input(3) && (scope.input_element(3) != scope.input_element(0) ||
                             ElementCount(scope.input_dims(3)) != 1)) {
    scope.Fault("input 3 (pad_value) is {}; must be a scalar of type {}",
                ToString(scope.input_type(3)), Name(scope.input_element(0)));
  }
  const std::optional<PadSpec> spec = ReadPadSpec(scope);
  if (spec) scope.SetOutput(0, scope.input_element(0), spec->output);
}

// The part of the output along `axis` that the input covers.
Run Centre(const PadSpec& spec, size_t axis, int64_t dim) {
  const int64_t begin = spec.begin[axis];
  const int64_t first = std::clamp<int64_t>(begin, 0, spec.output[axis]);
  const int64_t last = std::min(begin + dim, spec.output[axis]);
  return {first, std::max<int64_t>(last - first, 0), first - begin, 1};
}

// Centre, border before and border after. Borders copy elements of the input: position c outside
// the axis maps to -c or 2 (dim - 1) - c (reflect), and to -c - 1 or 2 dim - 1 - c (symmetric).
Runs MirrorRuns(const PadSpec& spec, size_t axis, int64_t dim) {
  const int64_t begin = spec.begin[axis], length = spec.output[axis];
  const int64_t doubled = spec.mode == Mode::kSymmetric ? 1 : 0;  // the edge itself is repeated
  const bool edge = spec.mode == Mode::kEdge;
  Runs runs = {Centre(spec, axis, dim)};
  const int64_t before = std::min(begin, length);
  if (before > 0) {
    runs.push_back(edge ? Run{0, before, 0, 0} : Run{0, before, begin - doubled, -1});
  }
  const int64_t first = std::max<int64_t>(begin + dim, 0);
  if (first < length) {
    const int64_t mirrored = 2 * (dim - 1) + doubled - (first - begin);
    runs.push_back(edge ? Run{first, length - first, dim - 1, 0}
                        : Run{first, length - first, mirrored, -1});
  }
  return runs;
}

// Pads a group of axes at a time, because the number of copies is the product over the axes of a
// group. The tensor grows from group to group.
void LowerMirrored(LowerScope& scope, const PadSpec& spec) {
  Dims from = scope.input_dims(0);
  std::vector<Runs> runs(from.size());
  for (size_t axis = 0; axis < from.size(); ++axis) {
    runs[axis] = spec.begin[axis] == 0 && spec.end[axis] == 0 ? FullAxis(from[axis])
                                                              : MirrorRuns(spec, axis, from[axis]);
  }
  program::ValueId source = scope.input(0);
  for (size_t first = 0; first < from.size();) {
    Dims to = from;
    std::vector<Runs> group = WholeAxes(from);
    size_t copies = 1, axis = first;
    for (; axis < from.size() && copies * runs[axis].size() <= kMaxCopies; ++axis) {
      copies *= runs[axis].size();
      group[axis] = runs[axis];
      to[axis] = spec.output[axis];
    }
    const program::ValueId target = axis == from.size()
                                        ? scope.NewOutput(0)
                                        : scope.builder.Scratch({scope.input_element(0), to});
    EmitMovement(scope.builder, source, target, MovementOf(group, from, to));
    source = target;
    from = to;
    first = axis;
  }
}

uint64_t BitsOfValue(const ir::Constant& value) {
  uint64_t bits = 0;
  std::memcpy(&bits, value.bytes.data(), std::min(value.bytes.size(), sizeof bits));
  return bits;
}

// The border as boxes that do not overlap. For axis k: the parts before and after the centre,
// limited to the centre along axes before k, and complete along axes after k.
std::vector<Movement> BorderBoxes(const PadSpec& spec, const std::vector<Run>& centre) {
  const Dims strides = program::DenseStrides(spec.output);
  const auto along = [&](size_t axis, int64_t first, int64_t last) {
    return std::vector<Nest>{{{last - first}, {0}, {strides[axis]}, 0, first * strides[axis]}};
  };
  std::vector<Movement> boxes;
  for (size_t axis = 0; axis < centre.size(); ++axis) {
    const int64_t ends[][2] = {{0, centre[axis].target},
                               {centre[axis].target + centre[axis].count, spec.output[axis]}};
    for (const auto& [first, last] : ends) {
      if (first == last) continue;
      Movement box;
      for (size_t i = 0; i < centre.size(); ++i) {
        const Run& run = centre[i];
        if (i < axis) box.push_back(along(i, run.target, run.target + run.count));
        if (i == axis) box.push_back(along(i, first, last));
        if (i > axis) box.push_back(along(i, 0, spec.output[i]));
      }
      boxes.push_back(std::move(box));
    }
  }
  return boxes;
}

// If the centre is contiguous, only the elements before and after it are filled, and the producer
// can write the centre in place. Else a known value first fills the complete output, one step for
// any number of boxes. A value known only at run time is copied box by box.
void LowerConstant(LowerScope& scope, const PadSpec& spec) {
  const Dims& dims = scope.input_dims(0);
  const ElementType type = scope.input_element(0);
  std::vector<Run> centre(dims.size());
  std::vector<Runs> runs;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    centre[axis] = Centre(spec, axis, dims[axis]);
    runs.push_back({centre[axis]});
  }
  const program::ValueId target = scope.NewOutput(0);
  const Movement movement = MovementOf(runs, dims, spec.output);
  const ir::Constant* known = scope.constant(3);
  if (scope.has_input(3) && known == nullptr) {
    for (const Movement& box : BorderBoxes(spec, centre)) {
      EmitMovement(scope.builder, scope.input(3), target, box);
    }
    return MoveIntoPart(scope, 0, movement, target);
  }
  const uint64_t bits = known != nullptr ? BitsOfValue(*known) : 0;
  const auto fill = [&](int64_t first, int64_t last) {
    if (first == last) return;
    const int64_t offset_bytes = first * ElementBytes(type);
    scope.builder.Fill(scope.builder.View(target, offset_bytes, {type, {last - first}}), bits);
  };
  const std::optional<Piece> piece = PieceOf(movement);
  if (piece) {
    fill(0, piece->target_offset);
    fill(piece->target_offset + piece->count, ProductOf(spec.output, 0, spec.output.size()));
  } else {
    scope.builder.Fill(target, bits);
  }
  MoveIntoPart(scope, 0, movement, target);
}

void LowerPad(LowerScope& scope) {
  const PadSpec spec = ReadPadSpec(scope).value();
  const auto positive = [](int64_t pad) { return pad > 0; };
  const bool grows = std::any_of(spec.begin.begin(), spec.begin.end(), positive) ||
                     std::any_of(spec.end.begin(), spec.end.end(), positive);
  if (!grows) {
    std::vector<Runs> runs;
    for (size_t axis = 0; axis < spec.output.size(); ++axis) {
      runs.push_back({Centre(spec, axis, scope.input_dims(0)[axis])});
    }
    return MoveToOutput(scope, 0, MovementOf(runs, scope.input_dims(0), spec.output), 0);
  }
  if (!HasByteElements(scope, 0)) return;
  return spec.mode == Mode::kConstant ? LowerConstant(scope, spec) : LowerMirrored(scope, spec);
}

void PadAxes(AxisScope& scope) {
  const Dims begin = scope.Ints(1).value_or(Dims()), end = scope.Ints(2).value_or(Dims());
  std::vector<bool> padded;
  for (size_t axis = 0; axis < begin.size() && axis < end.size(); ++axis) {
    padded.push_back(begin[axis] != 0 || end[axis] != 0);
  }
  scope.Same(0, 0, padded);
  scope.relation.reason = "pads the time axis";
  const std::optional<std::vector<double>> fill =
      scope.has_input(3) ? scope.Numbers(3) : std::vector<double>{0};
  const Mode mode = ReadMode(scope);
  const bool is_known = mode == Mode::kEdge || (mode == Mode::kConstant && fill);
  if (!is_known || std::ranges::count(padded, true) != 1) return;
  for (size_t axis = 0; axis < padded.size(); ++axis) {
    if (begin[axis] <= 0 || end[axis] != -begin[axis]) continue;
    Delay delay = {static_cast<int64_t>(axis), begin[axis]};
    delay.repeats = mode == Mode::kEdge;
    if (!delay.repeats) delay.fill = fill->front();
    delay.shifts = true;
    scope.relation.delays.push_back(std::move(delay));
  }
}

void PadPermutation(PermuteScope& scope) {
  scope.MoveNumbers(1);
  scope.MoveNumbers(2);
  SamePermutation(scope);
}

constexpr Traits kPadding = {.axes = PadAxes,
                             .permutation = PadPermutation,
                             .steering = Steering::kShape,
                             .steered_from = 1};

constexpr Operation kPadRows[] = {
    {"Pad", 1, 3, 4, InferPad, LowerPad, kPadding},
    {"Pad", 12, 3, 4, InferPad, LowerPad, kPadding},
};

}  // namespace

std::span<const Operation> PadOperations() { return kPadRows; }

}  // namespace weft::ops
