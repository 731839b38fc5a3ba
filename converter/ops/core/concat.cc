// SPDX-License-Identifier: Apache-2.0
// Operations that concatenate tensors along one axis and split them again. A part that is
// contiguous in the complete tensor costs nothing: Split creates a view, and Concat a copy whose
// source the planner can place directly in the output.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"

namespace weft::ops {
namespace {

// Runs that map positions [begin, begin + length) of `axis` of the complete tensor to all of the
// part.
std::vector<Runs> PartRuns(const Dims& part, size_t axis, Run run) {
  std::vector<Runs> runs = WholeAxes(part);
  runs[axis] = {run};
  return runs;
}

void InferConcat(InferScope& scope) {
  const std::optional<int64_t> axis =
      scope.NormalAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  if (!axis) return;
  TensorType whole = scope.input_type(0);
  int64_t& joined = whole.dims[static_cast<size_t>(*axis)];
  for (size_t i = 1; i < scope.input_count(); ++i) {
    const TensorType& part = scope.input_type(i);
    Dims expected = scope.input_dims(0);
    if (part.dims.size() == expected.size()) {
      expected[static_cast<size_t>(*axis)] = part.dims[static_cast<size_t>(*axis)];
    }
    if (part.type != whole.type || part.dims != expected) {
      scope.Fault("input {} is {} and input 0 is {}; must agree in all but axis {}", i,
                  ToString(part), ToString(scope.input_type(0)), *axis);
      continue;
    }
    const std::optional<int64_t> sum = CheckedSum(joined, part.dims[static_cast<size_t>(*axis)]);
    if (!sum) return scope.Fault("the sum of the extents of axis {} overflows 64 bits", *axis);
    joined = *sum;
  }
  if (!scope.failed()) scope.SetOutput(0, whole);
}

void LowerConcat(LowerScope& scope) {
  if (scope.input_count() == 1) return scope.Forward(0, 0);
  const size_t axis = WrappedAxis(scope.attributes.Int("axis", 0), scope.rank(0));
  const program::ValueId whole = scope.NewOutput(0);
  int64_t begin = 0;
  for (size_t i = 0; i < scope.input_count(); ++i) {
    const Dims& part = scope.input_dims(i);
    const std::vector<Runs> runs = PartRuns(part, axis, {begin, part[axis], 0, 1});
    MoveIntoPart(scope, i, MovementOf(runs, part, scope.output_type(0).dims), whole);
    begin += part[axis];
  }
}

void SetParts(InferScope& scope, int64_t axis, const Dims& lengths) {
  for (size_t i = 0; i < lengths.size(); ++i) {
    Dims dims = scope.input_dims(0);
    dims[static_cast<size_t>(axis)] = lengths[i];
    scope.SetOutput(i, scope.input_element(0), std::move(dims));
  }
}

std::optional<int64_t> InferAxis(InferScope& scope) {
  const std::optional<int64_t> axis = ControlInt(scope, 1, "axis");
  if (!axis) return std::nullopt;
  return scope.NormalAxis(*axis, scope.rank(0));
}

void InferSplit(InferScope& scope) {
  const std::optional<int64_t> axis = InferAxis(scope);
  const int64_t parts = scope.attributes.Int("num_splits", 0);
  if (!axis) return;
  const int64_t dim = scope.input_dims(0)[static_cast<size_t>(*axis)];
  if (parts < 1) return scope.Fault("num_splits is {}; must be at least 1", parts);
  if (static_cast<int64_t>(scope.output_count()) != parts) {
    return scope.Fault("num_splits is {} and the layer has {} outputs; both must be equal", parts,
                       scope.output_count());
  }
  if (dim % parts != 0) {
    return scope.Fault("axis {} has extent {}; must be divisible by num_splits {}", *axis, dim,
                       parts);
  }
  SetParts(scope, *axis, Dims(static_cast<size_t>(parts), dim / parts));
}

// Resolves a -1 in input 2 to the rest of the axis.
void InferVariadicSplit(InferScope& scope) {
  const std::optional<int64_t> axis = InferAxis(scope);
  const std::optional<Dims> given = ControlInts(scope, 2, "split_lengths");
  if (!axis || !given) return;
  const int64_t dim = scope.input_dims(0)[static_cast<size_t>(*axis)];
  Dims lengths = *given;
  int64_t sum = 0;
  for (const int64_t length : lengths) {
    const std::optional<int64_t> longer = CheckedSum(sum, std::max<int64_t>(length, 0));
    if (length < -1 || !longer) {
      return scope.Fault("split_lengths {} hold {}; must be lengths or one -1", ToString(*given),
                         length);
    }
    sum = *longer;
  }
  const auto free_count = std::count(lengths.begin(), lengths.end(), -1);
  if (free_count > 1 || (free_count == 1 ? sum > dim : sum != dim)) {
    return scope.Fault(
        "split_lengths {} sum to {} with {} entries of -1; must fit axis {}, which has extent {}",
        ToString(*given), sum, free_count, *axis, dim);
  }
  std::replace(lengths.begin(), lengths.end(), int64_t{-1}, dim - sum);
  if (scope.output_count() != lengths.size()) {
    return scope.Fault("{} split_lengths and {} outputs; both must be equal", lengths.size(),
                       scope.output_count());
  }
  SetParts(scope, *axis, lengths);
}

void LowerSplit(LowerScope& scope) {
  const Dims& whole = scope.input_dims(0);
  const size_t axis = WrappedAxis(ControlInt(scope, 1, "axis").value(), scope.rank(0));
  int64_t begin = 0;
  for (size_t i = 0; i < scope.node().outputs.size(); ++i) {
    const Dims& part = scope.output_type(i).dims;
    const std::vector<Runs> runs = PartRuns(part, axis, {0, part[axis], begin, 1});
    MoveToOutput(scope, 0, MovementOf(runs, whole, part), i);
    begin += part[axis];
  }
}

void ConcatAxes(AxisScope& scope) {
  const int64_t joined = scope.attributes.Int("axis", 0);
  const std::vector<bool> but = OnlyAxis(scope, joined);
  for (size_t axis = 0; axis < but.size(); ++axis) {
    if (but[axis]) continue;
    AxisGroup group = {{true, 0, static_cast<int64_t>(axis)}};
    for (size_t i = 0; i < scope.input_count(); ++i) {
      group.push_back({false, i, static_cast<int64_t>(axis)});
    }
    scope.relation.groups.push_back(std::move(group));
  }
  scope.relation.reason = "concatenates along time";
}

void SplitAxes(AxisScope& scope) {
  const std::vector<bool> but = NamedAxes(scope, 1);
  for (size_t axis = 0; axis < but.size(); ++axis) {
    if (but[axis]) continue;
    const auto at = static_cast<int64_t>(axis);
    AxisGroup group = {{false, 0, at}};
    for (size_t i = 0; i < scope.node().outputs.size(); ++i) group.push_back({true, i, at});
    scope.relation.groups.push_back(std::move(group));
  }
  const auto axis = std::ranges::find(but, true) - but.begin();
  int64_t begin = 0;
  for (size_t i = 0; i < scope.node().outputs.size(); ++i) {
    const int64_t end = begin + AxisScope::At(scope.out(i), axis);
    scope.relation.parts.push_back({axis, begin, end});
    begin = end;
  }
  scope.relation.reason = "splits the time axis";
}

void ConcatPermutation(PermuteScope& scope) {
  const int64_t axis = LastPosition(scope.attributes.Int("axis", 0), scope.dims(In(0)).size());
  scope.permutation.attributes["axis"] = std::to_string(axis);
  std::vector<Port> ports = {Out(0)};
  for (size_t i = 0; i < scope.input_count(); ++i) {
    if (scope.constant(i) == nullptr) {
      ports.push_back(In(i));
    } else {
      scope.permutation.operands[i] = scope.input_dims(i);
    }
  }
  scope.Tie(std::move(ports));
}

void SplitPermutation(PermuteScope& scope) {
  scope.MoveAxes(1, scope.dims(In(0)).size());
  std::vector<Port> ports = {In(0)};
  for (size_t i = 0; i < scope.node().outputs.size(); ++i) ports.push_back(Out(i));
  scope.Tie(std::move(ports));
}

constexpr Traits kJoins = {.joins = true, .axes = ConcatAxes, .permutation = ConcatPermutation};
constexpr Traits kSplits = {.picks = true,
                            .axes = SplitAxes,
                            .permutation = SplitPermutation,
                            .steering = Steering::kShape,
                            .steered_from = 1};

constexpr Operation kConcatRows[] = {
    {"Concat", 1, 1, kAnyNumber, InferConcat, LowerConcat, kJoins},
    {"Split", 1, 2, 2, InferSplit, LowerSplit, kSplits},
    {"VariadicSplit", 1, 3, 3, InferVariadicSplit, LowerSplit, kSplits},
};

}  // namespace

std::span<const Operation> ConcatOperations() { return kConcatRows; }

}  // namespace weft::ops
