// SPDX-License-Identifier: Apache-2.0
// Col2Im: adds columns of patches up to images. Each image position sums the column elements that
// the window maps to it, in the order of the window's taps. Patches that tile the image are one
// copy; otherwise a gather collects the overlapping elements, and a reduction sums them.
#include <algorithm>

#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/positions.h"
#include "converter/ops/support/window.h"

namespace weft::ops {
namespace {

constexpr size_t kColumns = 0, kImageSize = 1, kPatchSize = 2;
constexpr int64_t kMaxColumnPositions = int64_t{1} << 24;

struct FoldSpec {
  int64_t planes = 1;  // batch * channels
  Window window;       // over the image; `out` counts the patches
  int64_t patches() const { return window.y.out * window.x.out; }
  int64_t taps() const { return window.y.kernel * window.x.kernel; }
};

// The contributions to one position of an image axis, by ascending tap.
struct FoldHit {
  int64_t tap, patch;
};
using FoldHits = std::vector<std::vector<FoldHit>>;

FoldHits FoldHitsOf(const WindowAxis& axis) {
  FoldHits hits(static_cast<size_t>(axis.in));
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    for (int64_t patch = 0; patch < axis.out; ++patch) {
      const int64_t position = patch * axis.stride + tap * axis.dilation - axis.pad_begin;
      if (position >= 0 && position < axis.in)
        hits[static_cast<size_t>(position)].push_back({tap, patch});
    }
  }
  return hits;
}

size_t MaxFoldHits(const FoldHits& hits) {
  size_t max = 0;
  for (const std::vector<FoldHit>& position : hits) max = std::max(max, position.size());
  return max;
}

// Indices of the overlapping column elements of one plane: [most, H, W]. The index one past the end
// means none.
Dims MeetingPositions(const FoldSpec& spec, const FoldHits& down, const FoldHits& across) {
  const size_t max_y = MaxFoldHits(down), max_x = MaxFoldHits(across);
  const WindowAxis &y = spec.window.y, &x = spec.window.x;
  Dims positions;
  for (size_t i = 0; i < max_y * max_x; ++i) {
    for (const std::vector<FoldHit>& at_y : down) {
      for (const std::vector<FoldHit>& at_x : across) {
        if (i / max_x >= at_y.size() || i % max_x >= at_x.size()) {
          positions.push_back(spec.taps() * spec.patches());
          continue;
        }
        const FoldHit &v = at_y[i / max_x], &h = at_x[i % max_x];
        positions.push_back(((v.tap * x.kernel + h.tap) * y.out + v.patch) * x.out + h.patch);
      }
    }
  }
  return positions;
}

std::optional<Dims> FoldSize(InferScope& scope, size_t i, std::string_view what) {
  const std::optional<Dims> size = ControlInts(scope, i, what, 2);
  if (!size) return std::nullopt;
  for (const int64_t extent : *size) {
    if (!CheckNumber(scope, fmt::format("an extent of input {} ({})", i, what), extent, 1)) {
      return std::nullopt;
    }
  }
  return size;
}

FoldSpec FoldSpecOf(const NodeScope& scope) {
  const Dims image = *scope.Ints(kImageSize), patch = *scope.Ints(kPatchSize);
  FoldSpec spec;
  spec.window = WindowOf(scope, image, patch);
  const Dims& dims = scope.input_dims(kColumns);
  const int64_t batch = dims.size() == 3 ? dims[0] : 1;
  spec.planes = batch * dims[dims.size() - 2] / spec.taps();
  return spec;
}

bool CheckColumns(InferScope& scope, const FoldSpec& spec) {
  const Dims& dims = scope.input_dims(kColumns);
  if (dims.back() != spec.patches() || dims[dims.size() - 2] % spec.taps() != 0) {
    scope.Fault("data is {}; channels must be a multiple of {} taps, and patches must be {}",
                ToString(scope.input_type(kColumns)), spec.taps(), spec.patches());
    return false;
  }
  const std::optional<int64_t> image = CheckedProduct(spec.window.y.in, spec.window.x.in);
  if (image && *image <= kMaxColumnPositions) return true;
  scope.Fault("image is {} x {} pixels; must have at most {}", spec.window.y.in, spec.window.x.in,
              kMaxColumnPositions);
  return false;
}

void InferFold(InferScope& scope) {
  constexpr size_t kElements[] = {kColumns};
  CheckElements(scope, kElements, {ElementType::f32, ElementType::i32, ElementType::i64});
  const std::optional<Dims> image = FoldSize(scope, kImageSize, "output size");
  const std::optional<Dims> patch = FoldSize(scope, kPatchSize, "kernel size");
  if (scope.rank(kColumns) != 2 && scope.rank(kColumns) != 3) {
    return scope.Fault("data is {}; must have rank 2 or 3", ToString(scope.input_type(kColumns)));
  }
  if (!image || !patch || !InferWindow(scope, *image, *patch)) return;
  const FoldSpec spec = FoldSpecOf(scope);
  if (!CheckColumns(scope, spec)) return;
  Dims dims = scope.input_dims(kColumns);
  dims[dims.size() - 2] /= spec.taps();
  dims.back() = (*image)[0];
  dims.push_back((*image)[1]);
  scope.SetOutput(0, scope.input_element(kColumns), std::move(dims));
}

// Returns true if the patches tile the axis without gaps or overlap.
bool TilesImage(const WindowAxis& axis) {
  return axis.stride == axis.kernel && axis.dilation == 1 && axis.pad_begin == 0 &&
         axis.out * axis.kernel == axis.in;
}

void EmitTiles(program::Builder& builder, const FoldSpec& spec, program::ValueId x,
               program::ValueId image) {
  const WindowAxis &v = spec.window.y, &h = spec.window.x;
  builder.CopyStrided(
      x, image, {spec.planes, v.out, v.kernel, h.out, h.kernel},
      {spec.taps() * spec.patches(), h.out, h.kernel * spec.patches(), 1, spec.patches()}, 0,
      {v.in * h.in, v.kernel * h.in, h.in, h.kernel, 1}, 0);
}

void LowerFold(LowerScope& scope) {
  const program::ValueId image = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const FoldSpec spec = FoldSpecOf(scope);
  const WindowAxis &v = spec.window.y, &h = spec.window.x;
  const program::ValueId x = scope.input(kColumns);
  if (TilesImage(v) && TilesImage(h)) return EmitTiles(builder, spec, x, image);
  const FoldHits down = FoldHitsOf(v), across = FoldHitsOf(h);
  const Dims positions = MeetingPositions(spec, down, across);
  const auto count = static_cast<int64_t>(positions.size());
  const GatherGeometry elements = {1, spec.planes, spec.taps() * spec.patches(), 1, count};
  const int64_t plane = v.in * h.in, max = count / plane;
  if (max == 0) return builder.Fill(image);
  if (max == 1) return EmitKnownGather(builder, elements, x, positions, image);
  const program::ValueId meeting = builder.Scratch({builder.type(x), {spec.planes, max, plane}});
  EmitKnownGather(builder, elements, x, positions, meeting);
  const ReduceAxis axes[] = {{spec.planes, count, false}, {max, plane, true}, {plane, 1, false}};
  EmitReduce(builder, format::ReduceOp::sum, CollapsedAxes(axes), meeting, image);
}

void FoldAxes(AxisScope& scope) {
  if (scope.rank(kColumns) == 3) scope.Pair(0, 0, 0, 0);
  scope.relation.reason = "adds overlapping patches along time";
}

constexpr Operation kCol2ImRows[] = {
    {"Col2Im", 15, 3, 3, InferFold, LowerFold, ShapedBy(FoldAxes)},
};

}  // namespace

std::span<const Operation> Col2ImOperations() { return kCol2ImRows; }

}  // namespace weft::ops
