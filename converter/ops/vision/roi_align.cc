// SPDX-License-Identifier: Apache-2.0
// ROIAlign: regions of a batch's planes, pooled to a fixed size by interpolated samples.
#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

constexpr int64_t kMaxSamples = 255;

struct RoiAlignSpec {
  int64_t pooled_height = 0, pooled_width = 0;
  int64_t samples = 0;  // samples per bin along an axis; 0: the extent of the bin, rounded up
  float scale = 1;
  bool is_maximum = false;
};

std::optional<RoiAlignSpec> ReadRoiAlign(NodeScope& scope) {
  constexpr std::string_view kModes[] = {"avg", "max"};
  scope.RequireAttributes({"pooled_h", "pooled_w", "sampling_ratio", "spatial_scale", "mode"});
  RoiAlignSpec spec;
  spec.pooled_height = scope.attributes.Int("pooled_h", 1);
  spec.pooled_width = scope.attributes.Int("pooled_w", 1);
  spec.samples = scope.attributes.Int("sampling_ratio", 0);
  spec.scale = scope.attributes.Float("spatial_scale", 1);
  spec.is_maximum = scope.attributes.Choice("mode", "avg", kModes) == "max";
  if (spec.pooled_height < 1 || spec.pooled_width < 1) {
    scope.Fault("pooled_h is {} and pooled_w {}; must be at least 1", spec.pooled_height,
                spec.pooled_width);
  }
  if (spec.samples < 0 || spec.samples > kMaxSamples) {
    scope.Fault("sampling_ratio is {}; must be from 0 to {}", spec.samples, kMaxSamples);
  }
  if (scope.failed()) return std::nullopt;
  return spec;
}

// Maps corners to coordinates: (corner + before) * scale + after.
struct RoiAlignment {
  float before = 0, after = 0;
  bool at_least_one = true;
};

template <bool has_mode>
RoiAlignment AlignmentOf(const NodeScope& scope) {
  constexpr std::string_view kAligned[] = {"asymmetric", "half_pixel_for_nn", "half_pixel"};
  if (!has_mode) return {};
  const std::string mode = scope.attributes.Choice("aligned_mode", "asymmetric", kAligned);
  if (mode == "asymmetric") return {};
  return {mode == "half_pixel" ? 0.5f : 0.0f, -0.5f, false};
}

template <bool has_mode>
void InferRoiAlign(InferScope& scope) {
  CheckElements(scope, kBoth, {ElementType::f32});
  constexpr size_t kBatches[] = {2};
  CheckElements(
      scope, kBatches,
      {ElementType::i32, ElementType::i64, ElementType::i16, ElementType::i8, ElementType::u8});
  AlignmentOf<has_mode>(scope);
  const std::optional<RoiAlignSpec> spec = ReadRoiAlign(scope);
  const Dims& data = scope.input_dims(0);
  const Dims& regions = scope.input_dims(1);
  const Dims& batches = scope.input_dims(2);
  if (data.size() != 4 || regions.size() != 2 || batches.size() != 1 || regions[1] != 4 ||
      regions[0] != batches[0]) {
    return scope.Fault(
        "data is {}, regions {} and batch indices {}; must be [batch, channels, height, width], "
        "[regions, 4] and [regions]",
        ToString(data), ToString(regions), ToString(batches));
  }
  if (!spec || scope.failed()) return;
  scope.SetOutput(0, ElementType::f32,
                  {regions[0], data[1], spec->pooled_height, spec->pooled_width});
}

template <bool has_mode>
void LowerRoiAlign(LowerScope& scope) {
  const RoiAlignSpec spec = ReadRoiAlign(scope).value();
  const RoiAlignment alignment = AlignmentOf<has_mode>(scope);
  const Dims data = scope.input_dims(0);
  const program::ValueId y = scope.NewOutput(0);
  const bool is_wide = scope.input_element(2) == ElementType::i64;
  const ElementType number = is_wide ? ElementType::i64 : ElementType::i32;
  const format::RegionParams params(
      Narrow32(data[0], "batch"), Narrow32(data[1], "channels"), Narrow32(data[2], "height"),
      Narrow32(data[3], "width"), Narrow32(scope.input_dims(1)[0], "regions"),
      Narrow32(spec.pooled_height, "pooled_h"), Narrow32(spec.pooled_width, "pooled_w"), spec.scale,
      alignment.before, alignment.after, Narrow<uint8_t>(spec.samples, "sampling_ratio"),
      alignment.at_least_one, spec.is_maximum ? format::RegionOp::max : format::RegionOp::mean,
      number);
  const program::ValueId batches = Converted(scope.builder, scope.input(2), number);
  scope.builder.Emit(params, {scope.input(0), scope.input(1), batches}, {y});
}

void RoiAlignAxes(AxisScope& scope) {
  scope.Pair(0, 1, 0, 1);
  if (scope.Pair(1, 0, 0, 0)) scope.relation.groups.back().push_back({false, 2, 0});
  scope.relation.reason = "pools regions across time";
}

constexpr Operation kRoiAlignRows[] = {
    {"ROIAlign", 3, 3, 3, InferRoiAlign<false>, LowerRoiAlign<false>, Apart(RoiAlignAxes)},
    {"ROIAlign", 9, 3, 3, InferRoiAlign<true>, LowerRoiAlign<true>, Apart(RoiAlignAxes)},
};

}  // namespace

std::span<const Operation> RoiAlignOperations() { return kRoiAlignRows; }

}  // namespace weft::ops
