// SPDX-License-Identifier: Apache-2.0
// GridSample: samples an image at the points of a grid. A gather reads the pixels around each point
// from all channels at once; the pixels are multiplied by their weights and summed.
#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"
#include "converter/ops/vision/sample_taps.h"

namespace weft::ops {
namespace {

constexpr size_t kImage = 0, kGrid = 1;
// The index for "no pixel" must fit 32 bits even when both axes add it.
constexpr int64_t kMaxPixels = int64_t{1} << 29;

SampleSpec SampleSpecOf(const NodeScope& scope) {
  constexpr std::string_view kSampleModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr std::string_view kSamplePaddings[] = {"zeros", "border", "reflection"};
  const std::string mode = scope.attributes.Choice("mode", "bilinear", kSampleModes);
  const std::string padding = scope.attributes.Choice("padding_mode", "zeros", kSamplePaddings);
  SampleSpec spec;
  if (mode != "bilinear") {
    spec.mode = mode == "nearest" ? SampleMode::kNearest : SampleMode::kCubic;
  }
  if (padding != "zeros") {
    spec.padding = padding == "border" ? SamplePadding::kBorder : SamplePadding::kReflection;
  }
  spec.align_corners = scope.attributes.Bool("align_corners", false);
  if (scope.rank(kImage) != 4 || scope.rank(kGrid) != 4) return spec;
  const Dims &image = scope.input_dims(kImage), &grid = scope.input_dims(kGrid);
  spec.sides = {image[3], image[2]};
  spec.positions = ProductOf(grid, 0, 3);
  return spec;
}

bool CheckSampled(InferScope& scope) {
  const Dims &image = scope.input_dims(kImage), &grid = scope.input_dims(kGrid);
  if (image.size() != 4 || grid.size() != 4 || image[0] != grid[0] || grid[3] != 2) {
    scope.Fault("data is {} and the grid {}; must be [N,C,H,W] and [N,out H,out W,2]",
                ToString(scope.input_type(kImage)), ToString(scope.input_type(kGrid)));
    return false;
  }
  const std::optional<int64_t> pixels = CheckedProduct(image[2], image[3]);
  if (pixels && *pixels >= 1 && *pixels <= kMaxPixels) return true;
  scope.Fault("data is {}; must have from 1 to {} pixels", ToString(scope.input_type(kImage)),
              kMaxPixels);
  return false;
}

void InferGridSample(InferScope& scope) {
  const SampleSpec spec = SampleSpecOf(scope);
  constexpr size_t kImages[] = {kImage}, kGrids[] = {kGrid};
  CheckElements(scope, kGrids, {ElementType::f32});
  if (spec.mode == SampleMode::kNearest) {
    HasByteElements(scope, kImage);
  } else {
    CheckElements(scope, kImages, {ElementType::f32});
  }
  if (!CheckSampled(scope)) return;
  const Dims &image = scope.input_dims(kImage), &grid = scope.input_dims(kGrid);
  scope.SetOutput(0, scope.input_element(kImage), {image[0], image[1], grid[1], grid[2]});
}

void LowerGridSample(LowerScope& scope) {
  const Dims out = scope.output_type(0).dims;
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const SampleSpec spec = SampleSpecOf(scope);
  const program::ValueId image = scope.input(kImage);
  const ir::Constant* known = scope.constant(kGrid);
  const SampleTaps taps = known != nullptr ? KnownSampleTaps(builder, spec, Floats(*known))
                                           : EmitSampleTaps(builder, spec, scope.input(kGrid));
  const int64_t all = spec.taps() * spec.taps(), positions = out[2] * out[3];
  const GatherGeometry geometry = {out[0], out[1], spec.pixels(), 1, positions * all};
  if (all == 1) return EmitGather(builder, geometry, image, taps.pixels, y);
  const Dims dims = {out[0], out[1], positions * all};
  const program::ValueId pixels = builder.Scratch({ElementType::f32, dims});
  const program::ValueId weighed = builder.Scratch({ElementType::f32, dims});
  EmitGather(builder, geometry, image, taps.pixels, pixels);
  EmitBinary(builder, format::BinaryOp::multiply, {pixels, dims},
             {taps.weights, {out[0], 1, positions * all}}, weighed);
  const ReduceAxis axes[] = {{out[0] * out[1] * positions, all, false}, {all, 1, true}};
  EmitReduce(builder, format::ReduceOp::sum, CollapsedAxes(axes), weighed, y);
}

void GridSampleAxes(AxisScope& scope) {
  if (scope.Pair(kImage, 0, 0, 0)) scope.relation.groups.back().push_back({false, kGrid, 0});
  scope.Pair(kImage, 1, 0, 1);
  scope.Pair(kGrid, 1, 0, 2);
  scope.Pair(kGrid, 2, 0, 3);
  scope.relation.reason = "samples time at the points of a grid";
}

constexpr Operation kGridSampleRows[] = {
    {"GridSample", 9, 2, 2, InferGridSample, LowerGridSample, Apart(GridSampleAxes)},
};

}  // namespace

std::span<const Operation> GridSampleOperations() { return kGridSampleRows; }

}  // namespace weft::ops
