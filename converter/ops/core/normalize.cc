// SPDX-License-Identifier: Apache-2.0
// Operations that scale elements: by the mean and deviation of some axes, by a norm, or by given
// statistics. The first two are `normalize` steps along lines. Axes that are not adjacent are
// gathered by a copy and moved back by another.
#include "converter/ops/core/normalize.h"

#include <algorithm>
#include <cmath>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/sum_order.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::NormalizeOp;
using format::UnaryOp;

constexpr size_t kNormalized[] = {0};

// One flag per axis of input 0; input 1 may name an axis more than once.
std::optional<std::vector<bool>> RequireAxes(InferScope& scope) {
  const std::optional<Dims> axes = scope.RequireInts(1, "axes");
  if (!axes) return std::nullopt;
  std::vector<bool> named(static_cast<size_t>(scope.rank(0)));
  for (const int64_t axis : *axes) {
    const std::optional<int64_t> normal = scope.NormalAxis(axis, scope.rank(0));
    if (normal) named[static_cast<size_t>(*normal)] = true;
  }
  return scope.failed() ? std::nullopt : std::optional(named);
}

void RequireEpsilon(InferScope& scope, std::string_view key) {
  scope.RequireAttributes({key});
  const float epsilon = scope.attributes.Float(key, 0);
  if (epsilon < 0) scope.Fault("attribute {} is {}; must not be negative", key, epsilon);
}

// Lines along `axis` of [outer, axis, inner].
struct Lines {
  int64_t outer = 1, axis = 1, inner = 1;
};

// The lines of a tensor along the axes that are set; nullopt if other axes are between them.
std::optional<Lines> LinesAlong(const Dims& dims, const std::vector<bool>& along) {
  Lines lines;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (along[i] && lines.inner != 1) return std::nullopt;
    (along[i] ? lines.axis : lines.axis == 1 ? lines.outer : lines.inner) *= dims[i];
  }
  return lines;
}

// The kind of normalisation; see kernels/reduce/normalize.h.
struct Norm {
  NormalizeOp op;
  float epsilon;
};

void EmitLines(program::Builder& builder, const Lines& lines, const Norm& norm, program::ValueId x,
               program::ValueId y) {
  const format::NormalizeParams params(Narrow32(lines.outer, "outer"), Narrow32(lines.axis, "axis"),
                                       Narrow32(lines.inner, "inner"), norm.epsilon, norm.op, 0, 0);
  builder.Emit(params, {x}, {y});
}

// The movement that brings the axes that are set after all others.
Movement ToTheEnd(const Dims& dims, const std::vector<bool>& along, Dims& moved) {
  std::vector<size_t> order;
  for (const bool last : {false, true}) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (along[i] == last) order.push_back(i);
    }
  }
  moved.clear();
  for (const size_t axis : order) moved.push_back(dims[axis]);
  return PermutedBy(dims, order);
}

// The dims with an extent of at least 2 along each kept axis: such an axis may be the time steps of
// a call, whose number must not change the accumulation order.
Dims WithSeveralKept(Dims dims, const std::vector<bool>& along) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!along[i] && dims[i] == 1) dims[i] = 2;
  }
  return dims;
}

// Output 0 is input 0 normalised along the axes that are set.
void LowerAlong(LowerScope& scope, const std::vector<bool>& along, const Norm& norm) {
  const TensorType& type = scope.output_type(0);
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const auto several = LinesAlong(WithSeveralKept(type.dims, along), along);
  const auto lines = LinesAlong(type.dims, along);
  const bool in_a_run = lines && lines->inner == 1;
  if (in_a_run && several && several->inner != 1 && lines->axis != 1) {
    const program::ValueId both = builder.Scratch({type.type, {*ElementCount(type.dims), 2}});
    EmitLines(builder, {lines->outer, lines->axis, 2}, norm, Doubled(builder, x), both);
    return TakeFirst(builder, both, y);
  }
  if (lines && (in_a_run || several)) return EmitLines(builder, *lines, norm, x, y);
  Dims moved;
  const Movement movement = ToTheEnd(type.dims, along, moved);
  const auto kept = static_cast<size_t>(std::ranges::count(along, false));
  const program::ValueId before = builder.Scratch({type.type, moved});
  const program::ValueId after = builder.Scratch({type.type, moved});
  EmitMovement(builder, x, before, movement);
  const Lines at_end = {ProductOf(moved, 0, kept), ProductOf(moved, kept, moved.size())};
  EmitLines(builder, at_end, norm, before, after);
  EmitMovement(builder, after, y, Reversed(movement));
}

// Axis rule: positions of axes outside `along` are independent.
void AxesBut(AxisScope& scope, const std::vector<bool>& along) {
  scope.Same(0, 0, along);
  scope.relation.summed = along;
  scope.relation.keeps_order = true;
  scope.relation.reason = "normalises over time";
}

// MVN: mean and variance.

NormalizeOp MvnOp(const NodeScope& scope) {
  constexpr std::string_view kModes[] = {"inside_sqrt", "outside_sqrt"};
  const std::string mode = scope.attributes.Choice("eps_mode", "inside_sqrt", kModes);
  if (!scope.attributes.Bool("normalize_variance", true)) return NormalizeOp::centre;
  return mode == "inside_sqrt" ? NormalizeOp::standard_inside : NormalizeOp::standard_outside;
}

Norm MvnNorm(const NodeScope& scope) { return {MvnOp(scope), scope.attributes.Float("eps", 0)}; }

void InferMvn(InferScope& scope) {
  CheckElements(scope, kNormalized, {ElementType::f32});
  RequireAxes(scope);
  RequireEpsilon(scope, "eps");
  MvnOp(scope);
  scope.SetOutput(0, scope.input_type(0));
}

void LowerMvn(LowerScope& scope) { LowerAlong(scope, NamedAxes(scope, 1), MvnNorm(scope)); }
void MvnAxes(AxisScope& scope) { AxesBut(scope, NamedAxes(scope, 1)); }

// Version 1 lists no axes: all axes after the batch, with or without the channels.
std::vector<bool> FirstMvnAxes(const NodeScope& scope) {
  std::vector<bool> along(static_cast<size_t>(scope.rank(0)), true);
  const size_t kept = scope.attributes.Bool("across_channels", false) ? 1 : 2;
  std::fill_n(along.begin(), std::min(kept, along.size()), false);
  return along;
}

void InferFirstMvn(InferScope& scope) {
  CheckElements(scope, kNormalized, {ElementType::f32});
  RequireEpsilon(scope, "eps");
  scope.SetOutput(0, scope.input_type(0));
}

void LowerFirstMvn(LowerScope& scope) { LowerAlong(scope, FirstMvnAxes(scope), MvnNorm(scope)); }
void AxesOfFirstMvn(AxisScope& scope) { AxesBut(scope, FirstMvnAxes(scope)); }

// NormalizeL2 and GRN: the norm.

Norm L2Norm(const NodeScope& scope) {
  constexpr std::string_view kModes[] = {"add", "max"};
  const std::string mode = scope.attributes.Choice("eps_mode", "add", kModes);
  const float epsilon = scope.attributes.Float("eps", 0);
  if (scope.attributes.Has(kOfMean)) return {NormalizeOp::root_mean_square, epsilon};
  return {mode == "add" ? NormalizeOp::l2_add : NormalizeOp::l2_max, epsilon};
}

void InferL2(InferScope& scope) {
  CheckElements(scope, kNormalized, {ElementType::f32});
  RequireAxes(scope);
  RequireEpsilon(scope, "eps");
  L2Norm(scope);
  scope.SetOutput(0, scope.input_type(0));
}

// Without axes each element is divided by itself, whatever epsilon is: the result is 1, or 0 for 0.
void LowerL2(LowerScope& scope) {
  if (scope.Ints(1)->empty()) {
    const program::ValueId sign = scope.builder.Scratch(scope.input_type(0));
    EmitUnary(scope.builder, UnaryOp::sign, scope.input(0), sign);
    return EmitUnary(scope.builder, UnaryOp::abs, sign, scope.NewOutput(0));
  }
  LowerAlong(scope, NamedAxes(scope, 1), L2Norm(scope));
}

void InferGrn(InferScope& scope) {
  CheckElements(scope, kNormalized, {ElementType::f32});
  RequireEpsilon(scope, "bias");
  if (scope.rank(0) < 2) {
    scope.Fault("input 0 is {}; must have a channel axis (axis 1)", ToString(scope.input_type(0)));
  }
  scope.SetOutput(0, scope.input_type(0));
}

void LowerGrn(LowerScope& scope) {
  LowerAlong(scope, OnlyAxis(scope, 1), {NormalizeOp::l2_add, scope.attributes.Float("bias", 0)});
}

void GrnAxes(AxisScope& scope) { AxesBut(scope, OnlyAxis(scope, 1)); }

// Operations with one number per channel.

// Checks that input `x` is f32 with channels and that inputs `vectors` have one f32 element per
// channel.
void CheckChannels(InferScope& scope, size_t x, std::span<const size_t> vectors) {
  const size_t data[] = {x};
  CheckElements(scope, data, {ElementType::f32});
  CheckElements(scope, vectors, {ElementType::f32});
  if (scope.rank(x) < 2) {
    return scope.Fault("input {} is {}; must have a channel axis (axis 1)", x,
                       ToString(scope.input_type(x)));
  }
  for (const size_t i : vectors) {
    if (scope.input_dims(i) == Dims{scope.input_dims(x)[1]}) continue;
    scope.Fault("input {} is {}; must have one element for each of {} channels", i,
                ToString(scope.input_type(i)), scope.input_dims(x)[1]);
  }
}

// A value with one element per channel, aligned with a tensor of `rank` axes.
Operand PerChannel(program::Builder& builder, program::ValueId value, size_t rank) {
  Dims dims(rank, 1);
  dims[1] = builder.dims(value)[0];
  return {value, dims};
}

// Sets the output to x * scale + shift per channel.
void EmitAffine(LowerScope& scope, program::ValueId x, program::ValueId scale,
                program::ValueId shift) {
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  const program::ValueId scaled = builder.Scratch(type), y = scope.NewOutput(0);
  const size_t rank = type.dims.size();
  EmitBinary(builder, BinaryOp::multiply, {x, type.dims}, PerChannel(builder, scale, rank), scaled);
  EmitBinary(builder, BinaryOp::add, {scaled, type.dims}, PerChannel(builder, shift, rank), y);
}

void InferGroup(InferScope& scope) {
  CheckChannels(scope, 0, std::array<size_t, 2>{1, 2});
  RequireEpsilon(scope, "epsilon");
  const int64_t groups = scope.attributes.Int("num_groups", 0);
  if (scope.failed()) return;
  if (groups < 1 || scope.input_dims(0)[1] % groups != 0) {
    scope.Fault("num_groups is {}; must divide the {} channels", groups, scope.input_dims(0)[1]);
  }
  scope.SetOutput(0, scope.input_type(0));
}

void LowerGroup(LowerScope& scope) {
  const TensorType& type = scope.output_type(0);
  const int64_t count = *ElementCount(type.dims);
  if (count == 0) {
    scope.NewOutput(0);
    return;
  }
  const int64_t outer = type.dims[0] * scope.attributes.Int("num_groups", 1);
  const program::ValueId x = scope.input(0), normal = scope.builder.Scratch(type);
  const Norm norm = {NormalizeOp::standard_inside, scope.attributes.Float("epsilon", 0)};
  EmitLines(scope.builder, {outer, count / outer, 1}, norm, x, normal);
  EmitAffine(scope, normal, scope.input(1), scope.input(2));
}

void GroupAxes(AxisScope& scope) {
  std::vector<bool> along(static_cast<size_t>(scope.rank(0)), true);
  if (!along.empty()) along[0] = false;
  AxesBut(scope, along);
}

// The inputs of BatchNormInference; version 1 has the data after two of the others.
struct BatchInputs {
  size_t x, gamma, beta, mean = 3, variance = 4;
};
constexpr BatchInputs kFirstBatch = {2, 0, 1}, kBatch = {0, 1, 2};

template <const BatchInputs& inputs>
void InferBatch(InferScope& scope) {
  CheckChannels(scope, inputs.x,
                std::array{inputs.gamma, inputs.beta, inputs.mean, inputs.variance});
  RequireEpsilon(scope, "epsilon");
  scope.SetOutput(0, scope.input_type(inputs.x));
}

// gamma / sqrt(variance + epsilon)
program::ValueId EmitBatchScale(LowerScope& scope, const BatchInputs& inputs, float epsilon) {
  program::Builder& builder = scope.builder;
  const TensorType type = scope.input_type(inputs.gamma);
  const program::ValueId raised = builder.Scratch(type), root = builder.Scratch(type);
  const program::ValueId scale = builder.Scratch(type);
  const program::ValueId more = builder.WeightsOf<float>({type.type, {1}}, {epsilon});
  EmitBinary(builder, BinaryOp::add, scope.input(inputs.variance), more, raised);
  EmitUnary(builder, UnaryOp::sqrt, raised, root);
  EmitBinary(builder, BinaryOp::divide, scope.input(inputs.gamma), root, scale);
  return scale;
}

template <const BatchInputs& inputs>
void LowerBatch(LowerScope& scope) {
  const float epsilon = scope.attributes.Float("epsilon", 0);
  program::Builder& builder = scope.builder;
  const TensorType type = scope.output_type(0), channels = scope.input_type(inputs.gamma);
  const auto gamma = scope.Numbers(inputs.gamma), beta = scope.Numbers(inputs.beta);
  const auto mean = scope.Numbers(inputs.mean), variance = scope.Numbers(inputs.variance);
  if (gamma && beta && mean && variance) {
    std::vector<float> scale, shift;
    for (size_t c = 0; c < gamma->size(); ++c) {
      const double factor = (*gamma)[c] / std::sqrt((*variance)[c] + double{epsilon});
      scale.push_back(static_cast<float>(factor));
      shift.push_back(static_cast<float>((*beta)[c] - (*mean)[c] * factor));
    }
    return EmitAffine(scope, scope.input(inputs.x), builder.WeightsOf(channels, scale),
                      builder.WeightsOf(channels, shift));
  }
  const program::ValueId centred = builder.Scratch(type);
  EmitBinary(builder, BinaryOp::subtract, {scope.input(inputs.x), type.dims},
             PerChannel(builder, scope.input(inputs.mean), type.dims.size()), centred);
  EmitAffine(scope, centred, EmitBatchScale(scope, inputs, epsilon), scope.input(inputs.beta));
}

template <const BatchInputs& inputs>
void BatchAxes(AxisScope& scope) {
  for (int64_t axis = 0; axis < scope.rank(inputs.x); ++axis) {
    if (axis != 1) scope.Pair(inputs.x, axis, 0, axis);
  }
}

constexpr Operation kNormalizeRows[] = {
    {"MVN", 1, 1, 1, InferFirstMvn, LowerFirstMvn, Apart(AxesOfFirstMvn)},
    {"MVN", 6, 2, 2, InferMvn, LowerMvn, Apart(MvnAxes)},
    {"NormalizeL2", 1, 2, 2, InferL2, LowerL2, Apart(MvnAxes)},
    {"GRN", 1, 1, 1, InferGrn, LowerGrn, Apart(GrnAxes)},
    {"GroupNormalization", 12, 3, 3, InferGroup, LowerGroup, Apart(GroupAxes)},
    {"BatchNormInference", 1, 5, 5, InferBatch<kFirstBatch>, LowerBatch<kFirstBatch>,
     Apart(BatchAxes<kFirstBatch>)},
    {"BatchNormInference", 5, 5, 5, InferBatch<kBatch>, LowerBatch<kBatch>,
     Apart(BatchAxes<kBatch>)},
};

}  // namespace

std::span<const Operation> NormalizeOperations() { return kNormalizeRows; }

}  // namespace weft::ops
