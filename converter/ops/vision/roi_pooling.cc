// SPDX-License-Identifier: Apache-2.0
// ROIPooling and PSROIPooling: regions of a batch's planes, pooled to a fixed size. A region is a
// batch index and two corners; a negative batch index ends the list.
#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::RegionOp;
using program::ValueId;

constexpr int64_t kRoiNumbers = 5;  // batch index, x and y of both corners

// Checks that data is [N, C, H, W], regions are [count, 5] and the scale is positive.
bool CheckPooledRegions(InferScope& scope) {
  const bool typed = CheckElements(scope, kBoth, {ElementType::f32});
  scope.RequireAttributes({"spatial_scale"});
  const float scale = scope.attributes.Float("spatial_scale", 1);
  if (!(scale > 0)) scope.Fault("spatial_scale is {}; must be above 0", scale);
  const Dims &data = scope.input_dims(0), &regions = scope.input_dims(1);
  if (data.size() == 4 && regions.size() == 2 && regions[1] == kRoiNumbers) {
    return typed && !scope.failed();
  }
  scope.Fault(
      "data is {} and regions {}; must be [batch, channels, height, width] and [regions, 5]",
      ToString(data), ToString(regions));
  return false;
}

// Operands and output size of a region step.
struct PooledRegions {
  ValueId data = program::kNone;
  Dims dims;                         // of the data
  ValueId corners = program::kNone;  // [count, 4]
  ValueId batches = program::kNone;  // [count], i32
  int64_t count = 0, height = 0, width = 0;
};

// Numbers [first, first + count) of each region.
ValueId RoiColumns(program::Builder& builder, ValueId regions, int64_t rows, int64_t first,
                   int64_t count) {
  const Dims dims = {rows, count};
  const ValueId y = builder.Scratch({ElementType::f32, dims});
  builder.CopyStrided(regions, y, dims, {kRoiNumbers, 1}, first, program::DenseStrides(dims), 0);
  return y;
}

PooledRegions RegionsOfInputs(LowerScope& scope) {
  const int64_t count = scope.input_dims(1)[0];
  const Dims& out = scope.output_type(0).dims;
  const ValueId regions = scope.input(1);
  const ValueId batches = RoiColumns(scope.builder, regions, count, 0, 1);
  return {scope.input(0),
          scope.input_dims(0),
          RoiColumns(scope.builder, regions, count, 1, kRoiNumbers - 1),
          Converted(scope.builder, batches, ElementType::i32),
          count,
          out[2],
          out[3]};
}

void EmitRegions(program::Builder& builder, RegionOp op, float scale, const PooledRegions& given,
                 ValueId y) {
  const format::RegionParams params(
      Narrow32(given.dims[0], "batch"), Narrow32(given.dims[1], "channels"),
      Narrow32(given.dims[2], "height"), Narrow32(given.dims[3], "width"),
      Narrow32(given.count, "regions"), Narrow32(given.height, "height"),
      Narrow32(given.width, "width"), scale, 0, 0, 0, 0, op, ElementType::i32);
  builder.Emit(params, {given.data, given.corners, given.batches}, {y});
}

// ROIPooling

bool IsRoiBilinear(const NodeScope& scope) {
  constexpr std::string_view kRoiMethods[] = {"max", "bilinear"};
  return scope.attributes.Choice("method", "max", kRoiMethods) == "bilinear";
}

// Height and width, from pooled_h and pooled_w or from a list.
Dims RoiPooledSize(const NodeScope& scope) {
  const Attributes& given = scope.attributes;
  if (given.Has("pooled_h") && given.Has("pooled_w")) {
    return {given.Int("pooled_h", 0), given.Int("pooled_w", 0)};
  }
  return given.Ints(given.Has("output_roi") ? "output_roi" : "output_size");
}

void InferRoiPooling(InferScope& scope) {
  IsRoiBilinear(scope);
  const Dims pooled = RoiPooledSize(scope);
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) {
    scope.Fault("pooled_h and pooled_w are {}; must be two numbers of at least 1",
                ToString(pooled));
  }
  if (!CheckPooledRegions(scope)) return;
  scope.SetOutput(0, ElementType::f32,
                  {scope.input_dims(1)[0], scope.input_dims(0)[1], pooled[0], pooled[1]});
}

void LowerRoiPooling(LowerScope& scope) {
  const ValueId y = scope.NewOutput(0);
  const PooledRegions regions = RegionsOfInputs(scope);
  if (IsRoiBilinear(scope)) {  // corners are fractions already
    return EmitRegions(scope.builder, RegionOp::point, 1, regions, y);
  }
  EmitRegions(scope.builder, RegionOp::position_max, scope.attributes.Float("spatial_scale", 1),
              regions, y);
}

void RoiPoolingAxes(AxisScope& scope) {
  scope.Pair(0, 1, 0, 1);
  scope.relation.reason = "pools regions across time";
}

// PSROIPooling

struct PositionSpec {
  bool is_bilinear = false;
  int64_t channels = 0, group = 1;
  int64_t bins_x = 1, bins_y = 1;
  // Number of data channels for each output channel.
  int64_t parts() const { return is_bilinear ? bins_x * bins_y : group * group; }
};

PositionSpec PositionSpecOf(const NodeScope& scope) {
  constexpr std::string_view kPositionModes[] = {"average", "bilinear"};
  PositionSpec spec;
  spec.is_bilinear = scope.attributes.Choice("mode", "average", kPositionModes) == "bilinear";
  spec.channels = scope.attributes.Int("output_dim", 1);
  spec.group = scope.attributes.Int("group_size", 1);
  spec.bins_x = scope.attributes.Int("spatial_bins_x", 1);
  spec.bins_y = scope.attributes.Int("spatial_bins_y", 1);
  return spec;
}

void InferPositionPooling(InferScope& scope) {
  constexpr int64_t kMaxParts = 65536;
  scope.RequireAttributes({"output_dim"});
  const PositionSpec spec = PositionSpecOf(scope);
  Dims numbers = {spec.channels, spec.group};
  if (spec.is_bilinear) numbers.insert(numbers.end(), {spec.bins_x, spec.bins_y});
  if (std::ranges::min(numbers) < 1 || std::ranges::max(numbers) > kMaxParts) {
    scope.Fault("output_dim, group_size{} are {}; must be from 1 to {}",
                spec.is_bilinear ? ", spatial_bins_x and spatial_bins_y" : "", ToString(numbers),
                kMaxParts);
  }
  if (!CheckPooledRegions(scope)) return;
  if (scope.input_dims(0)[1] != spec.channels * spec.parts()) {
    return scope.Fault("data is {}; must have {} channels, {} for each of {} output channels",
                       ToString(scope.input_type(0)), spec.channels * spec.parts(), spec.parts(),
                       spec.channels);
  }
  scope.SetOutput(0, ElementType::f32,
                  {scope.input_dims(1)[0], spec.channels, spec.group, spec.group});
}

// Expands each region into one region per spatial bin, and views the channels of each bin as a
// separate batch element.
PooledRegions RegionsOfBins(program::Builder& builder, const PositionSpec& spec,
                            const PooledRegions& whole) {
  const int64_t bins = spec.parts();
  std::vector<float> edges;
  Dims numbers;
  for (int64_t bin = 0; bin < bins; ++bin) {
    const auto x = static_cast<float>(bin % spec.bins_x), y = static_cast<float>(bin / spec.bins_x);
    edges.insert(edges.end(), {x, y, x + 1, y + 1});
    numbers.push_back(bin);
  }
  const TensorType point = {ElementType::f32, {whole.count, 1, 1, 2}};
  const Operand first = {builder.Scratch(point), point.dims};
  const Operand last = {builder.Scratch(point), point.dims};
  builder.CopyStrided(whole.corners, first.value, {whole.count, 2}, {4, 1}, 0, {2, 1}, 0);
  builder.CopyStrided(whole.corners, last.value, {whole.count, 2}, {4, 1}, 2, {2, 1}, 0);
  const Operand size = Combined(builder, BinaryOp::subtract, last, first);
  const std::vector<float> counts = {static_cast<float>(spec.bins_x),
                                     static_cast<float>(spec.bins_y)};
  const Operand part = Combined(builder, BinaryOp::divide, size,
                                {builder.WeightsOf({ElementType::f32, {2}}, counts), {1, 1, 1, 2}});
  const Operand moves =
      Combined(builder, BinaryOp::multiply, part,
               {builder.WeightsOf({ElementType::f32, {4 * bins}}, edges), {1, bins, 2, 2}});
  const Operand corners = Combined(builder, BinaryOp::add, first, moves);
  const Operand scaled = Combined(builder, BinaryOp::multiply, {whole.batches, {whole.count, 1}},
                                  {IntegerWeights(builder, ElementType::i32, {bins}), {1, 1}});
  const Operand batches = Combined(builder, BinaryOp::add, scaled,
                                   {IntegerWeights(builder, ElementType::i32, numbers), {1, bins}});
  return {whole.data,         {whole.dims[0] * bins, spec.channels, whole.dims[2], whole.dims[3]},
          corners.value,      batches.value,
          whole.count * bins, whole.height,
          whole.width};
}

void LowerPositionPooling(LowerScope& scope) {
  const ValueId y = scope.NewOutput(0);
  const Dims out = scope.output_type(0).dims;
  const PositionSpec spec = PositionSpecOf(scope);
  const float scale = scope.attributes.Float("spatial_scale", 1);
  program::Builder& builder = scope.builder;
  const PooledRegions regions = RegionsOfInputs(scope);
  if (!spec.is_bilinear) return EmitRegions(builder, RegionOp::own_mean, scale, regions, y);
  if (spec.parts() == 1) return EmitRegions(builder, RegionOp::point, scale, regions, y);
  const int64_t inner = ProductOf(out, 1, out.size());
  const ValueId samples = builder.Scratch({ElementType::f32, {out[0], spec.parts(), inner}});
  EmitRegions(builder, RegionOp::point, scale, RegionsOfBins(builder, spec, regions), samples);
  const ReduceAxis axes[] = {
      {out[0], spec.parts() * inner, false}, {spec.parts(), inner, true}, {inner, 1, false}};
  EmitReduce(builder, format::ReduceOp::mean, CollapsedAxes(axes), samples, y);
}

void PositionPoolingAxes(AxisScope& scope) { scope.relation.reason = "pools regions across time"; }

constexpr Operation kRoiPoolingRows[] = {
    {"PSROIPooling", 1, 2, 2, InferPositionPooling, LowerPositionPooling,
     Apart(PositionPoolingAxes)},
    {"ROIPooling", 1, 2, 2, InferRoiPooling, LowerRoiPooling, Apart(RoiPoolingAxes)},
};

}  // namespace

std::span<const Operation> RoiPoolingOperations() { return kRoiPoolingRows; }

}  // namespace weft::ops
