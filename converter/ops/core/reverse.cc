// SPDX-License-Identifier: Apache-2.0
// Operations that reverse or rotate axes: strided copies, one per run. A ReverseSequence with
// lengths that the run computes becomes a gather with computed indices.
#include <algorithm>
#include <array>
#include <string_view>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

// The axes that Reverse reverses: input 1 as indices or as one boolean per axis.
std::optional<std::vector<bool>> ReadReversedAxes(NodeScope& scope) {
  static constexpr std::array<std::string_view, 2> kModes = {"index", "mask"};
  const int64_t rank = scope.rank(0);
  std::vector<bool> reversed(static_cast<size_t>(rank), false);
  if (scope.attributes.Choice("mode", "index", kModes) == "mask") {
    const std::optional<Dims> mask = scope.RequireInts(1, "reversed_axes");
    if (!mask) return std::nullopt;
    if (static_cast<int64_t>(mask->size()) != rank) {
      scope.Fault("reversed_axes has {} elements and the input rank {}; both must be equal",
                  mask->size(), rank);
      return std::nullopt;
    }
    for (size_t i = 0; i < mask->size(); ++i) reversed[i] = (*mask)[i] != 0;
    return reversed;
  }
  const std::optional<Dims> axes = ControlInts(scope, 1, "reversed_axes", -1, Scalar::kAllowed);
  if (!axes) return std::nullopt;
  for (const int64_t axis : *axes) {
    if (axis < 0 || axis >= rank) {
      scope.Fault("axis {} of a rank {} tensor; must be from 0 to {}", axis, rank, rank - 1);
      return std::nullopt;
    }
    reversed[static_cast<size_t>(axis)] = true;
  }
  return reversed;
}

void InferReverse(InferScope& scope) {
  if (ReadReversedAxes(scope)) scope.SetOutput(0, scope.input_type(0));
}

void LowerReverse(LowerScope& scope) {
  const std::vector<bool> reversed = ReadReversedAxes(scope).value();
  const Dims& dims = scope.input_dims(0);
  std::vector<Runs> runs = WholeAxes(dims);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (reversed[axis] && dims[axis] > 1) runs[axis] = {{0, dims[axis], dims[axis] - 1, -1}};
  }
  MoveToOutput(scope, 0, MovementOf(runs, dims, dims), 0);
}

void InferReverseSequence(InferScope& scope) {
  const auto batch = scope.NormalAxis(scope.attributes.Int("batch_axis", 0), scope.rank(0));
  const auto time = scope.NormalAxis(scope.attributes.Int("seq_axis", 1), scope.rank(0));
  if (!batch || !time) return;
  if (*batch == *time) {
    return scope.Fault("batch_axis and seq_axis are both {}; must be different", *batch);
  }
  const int64_t batches = scope.input_dims(0)[static_cast<size_t>(*batch)];
  const int64_t longest = scope.input_dims(0)[static_cast<size_t>(*time)];
  if (scope.input_dims(1) != Dims{batches}) {
    return scope.Fault("input 1 (seq_lengths) is {}; must be [{}], one length per batch",
                       ToString(scope.input_type(1)), batches);
  }
  const ElementType type = scope.input_element(1);
  if (scope.constant(1) == nullptr && type != ElementType::i32 && type != ElementType::i64) {
    return scope.Fault("input 1 (seq_lengths) is {} and computed at run time; must be i32 or i64",
                       Name(type));
  }
  if (scope.constant(1) == nullptr && !HasByteElements(scope, 0)) return;
  // Known lengths may be integers of any type.
  const std::optional<Dims> lengths = scope.Ints(1);
  for (const int64_t length : lengths.value_or(Dims())) {
    if (length < 0 || length > longest) {
      return scope.Fault("seq_lengths {} hold {}; axis {} has {}", ToString(*lengths), length,
                         *time, longest);
    }
  }
  scope.SetOutput(0, scope.input_type(0));
}

// Source index for each [batch, time] by computed lengths, limited to `steps`: length - 1 - t if t
// < length, else t.
program::ValueId EmitReversedPositions(program::Builder& builder, program::ValueId lengths,
                                       int64_t batches, int64_t steps) {
  const ElementType type = builder.type(lengths);
  const Dims dims = {batches, steps}, column = {batches, 1}, row = {1, steps}, one = {1, 1};
  const program::ValueId bounded = builder.Scratch({type, column});
  const program::ValueId last = builder.Scratch({type, column});
  const Operand given = {lengths, column};
  const Operand max = {IntegerWeights(builder, type, {steps}), one};
  EmitBinary(builder, format::BinaryOp::minimum, given, max, bounded);
  EmitBinary(builder, format::BinaryOp::subtract, {bounded, column},
             {IntegerWeights(builder, type, {1}), one}, last);
  const Operand positions = {IndexSequence(builder, type, steps), row};
  const program::ValueId permuted = builder.Scratch({type, dims}),
                         y = builder.Scratch({type, dims});
  const program::ValueId is_permuted = builder.Scratch({ElementType::boolean, dims});
  EmitBinary(builder, format::BinaryOp::subtract, {last, column}, positions, permuted);
  EmitCompare(builder, format::CompareOp::less, positions, {bounded, column}, is_permuted);
  EmitSelect(builder, {is_permuted, dims}, {permuted, dims}, positions, {y, dims});
  return y;
}

// Transposes batch and time to the front and gathers with one list of indices per batch element.
void LowerComputedReverse(LowerScope& scope, size_t batch, size_t time) {
  const Dims dims = scope.input_dims(0);
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const Dims dense = program::DenseStrides(dims);
  Dims front = {dims[batch], dims[time]}, strides = {dense[batch], dense[time]};
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (axis == batch || axis == time) continue;
    front.push_back(dims[axis]);
    strides.push_back(dense[axis]);
  }
  const program::ValueId source = scope.input(0);
  const program::ValueId positions =
      EmitReversedPositions(builder, scope.input(1), front[0], front[1]);
  const GatherGeometry lines = {front[0], 1, front[1], ProductOf(front, 2, front.size()), front[1]};
  if (strides == program::DenseStrides(front))
    return EmitGather(builder, lines, source, positions, y);
  const TensorType type{builder.type(source), front};
  const program::ValueId moved = builder.Scratch(type), permuted = builder.Scratch(type);
  builder.CopyStrided(source, moved, front, strides, 0, program::DenseStrides(front), 0);
  EmitGather(builder, lines, moved, positions, permuted);
  builder.CopyStrided(permuted, y, front, program::DenseStrides(front), 0, strides, 0);
}

// Adjacent batch elements of equal length are copied together.
void LowerReverseSequence(LowerScope& scope) {
  const Dims& dims = scope.input_dims(0);
  const size_t batch = WrappedAxis(scope.attributes.Int("batch_axis", 0), scope.rank(0));
  const size_t time = WrappedAxis(scope.attributes.Int("seq_axis", 1), scope.rank(0));
  if (scope.constant(1) == nullptr) return LowerComputedReverse(scope, batch, time);
  const Dims lengths = scope.Ints(1).value();
  if (std::all_of(lengths.begin(), lengths.end(), [](int64_t length) { return length <= 1; })) {
    return scope.Forward(0, 0);
  }
  if (!HasByteElements(scope, 0)) return;
  const program::ValueId source = scope.input(0);
  const program::ValueId target = scope.NewOutput(0);
  std::vector<Runs> runs = WholeAxes(dims);
  for (int64_t first = 0; first < dims[batch];) {
    const int64_t length = lengths[static_cast<size_t>(first)];
    int64_t last = first + 1;
    while (last < dims[batch] && lengths[static_cast<size_t>(last)] == length) ++last;
    runs[batch] = {{first, last - first, first, 1}};
    runs[time] = {{0, length, length - 1, -1}, {length, dims[time] - length, length, 1}};
    if (length <= 1) runs[time] = FullAxis(dims[time]);
    EmitMovement(scope.builder, source, target, MovementOf(runs, dims, dims));
    first = last;
  }
}

// Number of positions to roll each axis, reduced below its extent.
std::optional<Dims> ReadShifts(NodeScope& scope) {
  const std::optional<Dims> shift = ControlInts(scope, 1, "shift", -1, Scalar::kAllowed);
  const std::optional<Dims> axes = ControlInts(scope, 2, "axes", -1, Scalar::kAllowed);
  if (!shift || !axes) return std::nullopt;
  if (shift->size() != 1 && shift->size() != axes->size()) {
    scope.Fault("{} shifts and {} axes; must be one shift, or one per axis", shift->size(),
                axes->size());
    return std::nullopt;
  }
  Dims shifts(scope.input_dims(0).size(), 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const std::optional<int64_t> normal = scope.NormalAxis((*axes)[i], scope.rank(0));
    if (!normal) return std::nullopt;
    const auto axis = static_cast<size_t>(*normal);
    const int64_t dim = scope.input_dims(0)[axis];
    if (dim == 0) continue;
    const int64_t step = (*shift)[shift->size() == 1 ? 0 : i] % dim;
    shifts[axis] = ((shifts[axis] + step) % dim + dim) % dim;
  }
  return shifts;
}

void InferRoll(InferScope& scope) {
  if (ReadShifts(scope)) scope.SetOutput(0, scope.input_type(0));
}

void LowerRoll(LowerScope& scope) {
  const Dims shifts = ReadShifts(scope).value();
  const Dims& dims = scope.input_dims(0);
  std::vector<Runs> runs = WholeAxes(dims);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t shift = shifts[axis];
    if (shift == 0) continue;
    runs[axis] = {{0, shift, dims[axis] - shift, 1}, {shift, dims[axis] - shift, 0, 1}};
  }
  MoveToOutput(scope, 0, MovementOf(runs, dims, dims), 0);
}

void ReverseAxes(AxisScope& scope) {
  std::vector<bool> permuted = NamedAxes(scope, 1);
  if (scope.attributes.Text("mode", "index") == "mask") {
    const Dims mask = scope.Ints(1).value_or(Dims());
    permuted.assign(mask.begin(), mask.end());
  }
  scope.Same(0, 0, permuted);
  scope.relation.reason = "reverses time";
}

// Each batch element has its own length.
void ReverseSequenceAxes(AxisScope& scope) {
  const int64_t batch = scope.attributes.Int("batch_axis", 0);
  const auto at = static_cast<int64_t>(WrappedAxis(batch, scope.rank(0)));
  std::vector<bool> but = OnlyAxis(scope, scope.attributes.Int("seq_axis", 1));
  but[static_cast<size_t>(at)] = true;
  scope.Same(0, 0, but);
  scope.relation.groups.push_back({{false, 0, at}, {false, 1, 0}, {true, 0, at}});
  scope.relation.reason = "reverses time";
}

void RollAxes(AxisScope& scope) {
  scope.Same(0, 0, NamedAxes(scope, 2));
  scope.relation.reason = "moves time steps";
}

constexpr Operation kReverseRows[] = {
    {"Reverse", 1, 2, 2, InferReverse, LowerReverse, Picking(Apart(ReverseAxes))},
    {"ReverseSequence", 1, 2, 2, InferReverseSequence, LowerReverseSequence,
     Apart(ReverseSequenceAxes)},
    {"Roll", 7, 3, 3, InferRoll, LowerRoll, Picking(ShapedBy(RollAxes))},
};

}  // namespace

std::span<const Operation> ReverseOperations() { return kReverseRows; }

}  // namespace weft::ops
