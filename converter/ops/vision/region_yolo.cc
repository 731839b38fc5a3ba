// SPDX-License-Identifier: Apache-2.0
// RegionYolo: centre and confidence of each region pass through a sigmoid and extents are
// unchanged. The classes pass through a joint softmax or a sigmoid each. [N, C, H, W] holds
// `coords` numbers, one confidence and `classes` scores for each region, in planes of H * W
// elements.
#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

using format::UnaryOp;

struct Regions {
  int64_t count = 0, coords = 0, classes = 0;
  bool softmax = true;
  int64_t numbers() const { return coords + 1 + classes; }
};

Regions RegionsOf(const NodeScope& scope) {
  Regions regions;
  regions.coords = scope.attributes.Int("coords", 0);
  regions.classes = scope.attributes.Int("classes", 0);
  regions.softmax = scope.attributes.Bool("do_softmax", true);
  const auto masks = static_cast<int64_t>(scope.attributes.Ints("mask").size());
  regions.count = regions.softmax ? scope.attributes.Int("num", 0) : masks;
  return regions;
}

void InferRegions(InferScope& scope) {
  constexpr size_t kX[] = {0};
  CheckElements(scope, kX, {ElementType::f32});
  const Regions regions = RegionsOf(scope);
  const Dims& dims = scope.input_dims(0);
  if (regions.coords < 2 || regions.classes < 1 || regions.count < 1) {
    scope.Fault("has {} regions of {} coordinates and {} classes; must have at least 1, 2 and 1",
                regions.count, regions.coords, regions.classes);
  } else if (dims.size() != 4 || dims[1] != regions.count * regions.numbers()) {
    scope.Fault("data is {}; must have rank 4 and {} channels, {} for each of {} regions",
                ToString(scope.input_type(0)), regions.count * regions.numbers(), regions.numbers(),
                regions.count);
  }
  const std::optional<int64_t> axis = scope.NormalAxis(scope.attributes.Int("axis", 1), 4);
  const std::optional<int64_t> end = scope.NormalAxis(scope.attributes.Int("end_axis", 3), 4);
  if (axis && end && *end < *axis)
    scope.Fault("end_axis is before axis; must not be less than axis");
  if (scope.failed()) return;
  Dims out = dims;
  if (regions.softmax) {
    const auto first = static_cast<size_t>(*axis), last = static_cast<size_t>(*end) + 1;
    out[first] = ProductOf(dims, first, last);
    out.erase(out.begin() + *axis + 1, out.begin() + *end + 1);
  }
  scope.SetOutput(0, ElementType::f32, std::move(out));
}

// Planes [first, first + count) of the tensor.
struct PlaneRange {
  int64_t first, count, plane;
};

program::ValueId PlanesIn(program::Builder& builder, program::ValueId value,
                          const PlaneRange& range) {
  return builder.View(value, range.first * range.plane * static_cast<int64_t>(sizeof(float)),
                      {ElementType::f32, {range.count, range.plane}});
}

void LowerRegions(LowerScope& scope) {
  const Regions regions = RegionsOf(scope);
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  const Dims& dims = scope.input_dims(0);
  program::Builder& builder = scope.builder;
  const int64_t plane = dims[2] * dims[3];
  const auto sigmoid = [&](int64_t first, int64_t count) {
    const PlaneRange range = {first, count, plane};
    EmitUnary(builder, UnaryOp::sigmoid, PlanesIn(builder, x, range), PlanesIn(builder, y, range));
  };
  for (int64_t region = 0; region < dims[0] * regions.count; ++region) {
    const int64_t first = region * regions.numbers();
    sigmoid(first, 2);
    if (regions.coords > 2) {
      const PlaneRange extents = {first + 2, regions.coords - 2, plane};
      builder.Copy(PlanesIn(builder, x, extents), PlanesIn(builder, y, extents));
    }
    sigmoid(first + regions.coords, regions.softmax ? 1 : 1 + regions.classes);
    if (!regions.softmax) continue;
    const PlaneRange classes = {first + regions.coords + 1, regions.classes, plane};
    const format::SoftmaxParams params(1, Narrow32(regions.classes, "classes"),
                                       Narrow32(plane, "plane"), 0, 0, 0);
    builder.Emit(params, {PlanesIn(builder, x, classes)}, {PlanesIn(builder, y, classes)});
  }
}

void RegionAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  scope.relation.reason = "reads regions across time";
}

constexpr Operation kRegionRows[] = {
    {"RegionYolo", 1, 1, 1, InferRegions, LowerRegions, Apart(RegionAxes)}};

}  // namespace

std::span<const Operation> RegionOperations() { return kRegionRows; }

}  // namespace weft::ops
