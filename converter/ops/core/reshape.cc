// SPDX-License-Identifier: Apache-2.0
// Operations that give elements of any type other dims in the same order. They emit no step.
#include <algorithm>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/scalars.h"

namespace weft::ops {
namespace {

void LowerReshape(LowerScope& scope) { scope.Forward(0, 0); }

void InferIdentity(InferScope& scope) { scope.SetOutput(0, scope.input_type(0)); }

// Replaces 0 in the pattern by the input extent if special_zero is set. Returns false after an
// error.
bool CopyDims(InferScope& scope, Dims& pattern) {
  const bool special_zero = scope.attributes.Bool("special_zero", false);
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] < -1) {
      scope.Fault("the pattern {} holds {}; must be -1, 0 or a dimension", ToString(pattern),
                  pattern[i]);
      return false;
    }
    if (pattern[i] != 0 || !special_zero) continue;
    if (i >= scope.input_dims(0).size()) {
      scope.Fault("the pattern {} copies dimension {} of the input, which has rank {}",
                  ToString(pattern), i, scope.rank(0));
      return false;
    }
    pattern[i] = scope.input_dims(0)[i];
  }
  return true;
}

void InferReshape(InferScope& scope) {
  const std::optional<Dims> pattern = ControlInts(scope, 1, "pattern");
  if (!pattern) return;
  Dims dims = *pattern;
  if (!CopyDims(scope, dims)) return;
  const auto free_count = std::count(dims.begin(), dims.end(), -1);
  if (free_count > 1) {
    return scope.Fault("the pattern {} holds -1 {} times; at most one dimension can be computed",
                       ToString(*pattern), free_count);
  }
  const int64_t count = ElementCount(scope.input_dims(0)).value_or(0);
  const auto free = std::find(dims.begin(), dims.end(), -1);
  if (free != dims.end()) {
    *free = 1;
    const int64_t rest = ElementCount(dims).value_or(0);
    if (rest == 0 || count % rest != 0) {
      return scope.Fault("{} elements of {} are not divisible by the {} of pattern {}", count,
                         ToString(scope.input_type(0)), rest, ToString(*pattern));
    }
    *free = count / rest;
  }
  if (ElementCount(dims) != count) {
    return scope.Fault("{} has {} elements and pattern {} gives {}; both must be equal",
                       ToString(scope.input_type(0)), count, ToString(*pattern), ToString(dims));
  }
  scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

// Named axes with an extent other than 1 stay, as specified. Without axes, all axes of extent 1 are
// removed.
void InferSqueeze(InferScope& scope) {
  const Dims& dims = scope.input_dims(0);
  std::vector<bool> leaves(dims.size(), true);
  if (scope.has_input(1)) {
    const std::optional<Dims> axes = ControlInts(scope, 1, "axes", -1, Scalar::kAllowed);
    if (!axes) return;
    if (!axes->empty()) leaves.assign(dims.size(), false);
    for (const int64_t axis : *axes) {
      const std::optional<int64_t> normal = scope.NormalAxis(axis, scope.rank(0));
      if (normal) leaves[static_cast<size_t>(*normal)] = true;
    }
    if (scope.failed()) return;
  }
  Dims kept;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1 || !leaves[i]) kept.push_back(dims[i]);
  }
  scope.SetOutput(0, scope.input_element(0), std::move(kept));
}

// Axes refer to the output.
void InferUnsqueeze(InferScope& scope) {
  const std::optional<Dims> axes = ControlInts(scope, 1, "axes", -1, Scalar::kAllowed);
  if (!axes) return;
  const size_t rank = scope.input_dims(0).size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const int64_t axis : *axes) {
    const std::optional<int64_t> normal = scope.NormalAxis(axis, static_cast<int64_t>(rank));
    if (!normal) return;
    if (is_new[static_cast<size_t>(*normal)]) {
      return scope.Fault("axes {} name axis {} twice; must be different", ToString(*axes), *normal);
    }
    is_new[static_cast<size_t>(*normal)] = true;
  }
  Dims dims(rank, 1);
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (!is_new[i]) dims[i] = scope.input_dims(0)[next++];
  }
  scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

// Follows axes whose extent the pattern copies or infers (-1).
void ReshapeAxes(AxisScope& scope) {
  ReshapedAxes(scope);
  const Dims pattern = scope.Ints(1).value_or(Dims());
  const bool special_zero = scope.attributes.Bool("special_zero", false);
  const auto open = std::ranges::find(pattern, -1);
  for (size_t axis = 0; axis < scope.in(0).size(); ++axis) {
    const bool copied = special_zero && axis < pattern.size() && pattern[axis] == 0;
    const int64_t to = open == pattern.end() ? -1 : open - pattern.begin();
    scope.relation.followed.push_back(copied ? static_cast<int64_t>(axis) : to);
  }
}

// Without names, the extent of an axis decides whether it is removed.
void SqueezeAxes(AxisScope& scope) {
  ReshapedAxes(scope);
  const Dims axes = scope.Ints(1).value_or(Dims());
  const std::vector<bool> named = scope.has_input(1) ? NamedAxes(scope, 1) : std::vector<bool>();
  int64_t to = 0;
  for (size_t axis = 0; axis < scope.in(0).size(); ++axis) {
    const bool is_fixed = !axes.empty() && !named[axis];
    scope.relation.followed.push_back(is_fixed ? to : -1);
    to += is_fixed || scope.in(0)[axis] != 1;
  }
}

void UnsqueezeAxes(AxisScope& scope) {
  ReshapedAxes(scope);
  std::vector<bool> is_new(scope.out(0).size());
  for (const int64_t axis : scope.Ints(1).value_or(Dims())) {
    is_new[WrappedAxis(axis, std::ssize(is_new))] = true;
  }
  for (size_t to = 0; to < is_new.size(); ++to) {
    if (!is_new[to]) scope.relation.followed.push_back(static_cast<int64_t>(to));
  }
}

// Applies if batch and channels are unchanged and only spatial axes are regrouped.
void ReshapePermutation(PermuteScope& scope) {
  const Dims &in = scope.dims(In(0)), &out = scope.dims(Out(0));
  if (!HasChannelAxis(in.size()) || !HasChannelAxis(out.size()) || in[0] != out[0] ||
      in[1] != out[1])
    return;
  scope.permutation.reshape = ChannelsLast(out);
  scope.Tie({In(0), Out(0)});
}

constexpr Traits Reshapes(void (*axes)(AxisScope&), Steering steering = Steering::kNothing) {
  return {.scalar = SameScalar,
          .scalar_is_polynomial = true,
          .reshapes = true,
          .picks = true,
          .axes = axes,
          .permutation = ReshapePermutation,
          .steering = steering,
          .steered_from = 1,
          .free = true};
}

constexpr Traits kIdentity = {.scalar = SameScalar,
                              .scalar_is_polynomial = true,
                              .pointwise = true,
                              .picks = true,
                              .free = true};

constexpr Operation kReshapeRows[] = {
    {"Reshape", 1, 2, 2, InferReshape, LowerReshape, Reshapes(ReshapeAxes, Steering::kShape)},
    {"Squeeze", 1, 1, 2, InferSqueeze, LowerReshape, Reshapes(SqueezeAxes)},
    {"Squeeze", 15, 1, 2, InferSqueeze, LowerReshape, Reshapes(SqueezeAxes)},
    {"Unsqueeze", 1, 2, 2, InferUnsqueeze, LowerReshape, Reshapes(UnsqueezeAxes)},
    {"Identity", 16, 1, 1, InferIdentity, LowerReshape, kIdentity},
};

}  // namespace

std::span<const Operation> ReshapeOperations() { return kReshapeRows; }

}  // namespace weft::ops
