// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::ops {
namespace {

constexpr std::string_view kRule = "auto_broadcast";
constexpr std::string_view kPdpdAxis = "auto_broadcast.auto_broadcast_axis";

std::string Rule(const NodeScope& scope) {
  constexpr std::string_view kRules[] = {"numpy", "none", "explicit", "pdpd"};
  return scope.attributes.Choice(kRule, "numpy", kRules);
}

// The axis of `out` with which a pdpd operand's first axis is aligned.
int64_t PdpdAxis(const NodeScope& scope, size_t operand_rank, size_t out_rank) {
  const int64_t axis = scope.attributes.Int(kPdpdAxis, 0);
  return axis == -1 ? static_cast<int64_t>(out_rank) - static_cast<int64_t>(operand_rank) : axis;
}

// pdpd ignores trailing ones of the broadcast operand, so that [3,1] may align with the last axis.
Dims WithoutTrailingOnes(Dims dims, size_t keep_axes) {
  while (dims.size() > keep_axes && dims.back() == 1) dims.pop_back();
  return dims;
}

Dims PdpdAligned(const NodeScope& scope, size_t i, const Dims& out) {
  const Dims& full = scope.input_dims(i);
  const int64_t axis = PdpdAxis(scope, full.size(), out.size());
  const Dims dims = WithoutTrailingOnes(full, std::max<int64_t>(out.size() - axis, 0));
  Dims aligned(out.size(), 1);
  std::copy(dims.begin(), dims.end(), aligned.begin() + axis);
  return aligned;
}

std::optional<Dims> PdpdDims(InferScope& scope, std::span<const size_t> operands) {
  const Dims& out = scope.input_dims(operands.front());
  for (size_t i : operands.subspan(1)) {
    const Dims& full = scope.input_dims(i);
    const int64_t axis = PdpdAxis(scope, full.size(), out.size());
    const auto rank = static_cast<int64_t>(out.size());
    const int64_t room = axis >= 0 && axis <= rank ? rank - axis : 0;
    const Dims dims = WithoutTrailingOnes(full, std::max<int64_t>(room, 0));
    bool fits = axis >= 0 && static_cast<int64_t>(dims.size()) <= room;
    for (size_t d = 0; fits && d < dims.size(); ++d) {
      fits = dims[d] == 1 || dims[d] == out[axis + d];
    }
    if (!fits) {
      scope.Fault("input {} is {} and does not broadcast to {} from axis {} on (pdpd broadcast)", i,
                  ToString(full), ToString(out), axis);
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::optional<Dims> BroadcastDims(InferScope& scope, std::span<const size_t> operands) {
  const std::string rule = Rule(scope);
  if (rule == "pdpd") return PdpdDims(scope, operands);
  Dims out = scope.input_dims(operands.front());
  for (size_t i : operands.subspan(1)) {
    if (rule == "numpy") {
      std::optional<Dims> both = scope.Broadcast(out, scope.input_dims(i));
      if (!both) return std::nullopt;
      out = std::move(*both);
    } else if (scope.input_dims(i) != out) {
      scope.Fault("input {} is {} and input {} is {}; without broadcast both must be equal",
                  operands.front(), ToString(out), i, ToString(scope.input_dims(i)));
      return std::nullopt;
    }
  }
  return out;
}

Dims AlignedDims(const NodeScope& scope, size_t i, const Dims& out) {
  const Dims& dims = scope.input_dims(i);
  if (dims == out) return out;
  if (Rule(scope) == "pdpd") return PdpdAligned(scope, i, out);
  Dims aligned(out.size(), 1);
  std::copy(dims.begin(), dims.end(), aligned.end() - static_cast<int64_t>(dims.size()));
  return aligned;
}

StridedNest CollapsedNest(const Dims& out, std::span<const Dims> aligned) {
  std::vector<Dims> strides;
  for (const Dims& dims : aligned) {
    strides.push_back(program::DenseStrides(dims));
    for (size_t axis = 0; axis < out.size(); ++axis) {
      if (dims[axis] == 1) strides.back()[axis] = 0;
    }
  }
  return JoinedNest(out, strides);
}

StridedNest JoinedNest(const Dims& dims, std::span<const Dims> strides) {
  StridedNest nest{{}, std::vector<Dims>(strides.size())};
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 1) continue;
    bool joins = !nest.dims.empty();
    for (size_t k = 0; k < strides.size(); ++k) {
      joins = joins && nest.strides[k].back() == strides[k][axis] * dims[axis];
    }
    if (!joins) nest.dims.push_back(1);
    nest.dims.back() *= dims[axis];
    for (size_t k = 0; k < strides.size(); ++k) {
      if (joins) nest.strides[k].pop_back();
      nest.strides[k].push_back(strides[k][axis]);
    }
  }
  if (nest.dims.empty()) {
    nest.dims = {1};
    for (Dims& along : nest.strides) along = {1};
  }
  return nest;
}

Dims BroadcastOf(const Dims& a, const Dims& b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims out = WithLeadingOnes(a, rank);
  const Dims other = WithLeadingOnes(b, rank);
  for (size_t i = 0; i < rank; ++i) out[i] = out[i] == 1 ? other[i] : out[i];
  return out;
}

Dims WithLeadingOnes(Dims dims, size_t rank) {
  dims.insert(dims.begin(), rank - dims.size(), 1);
  return dims;
}

bool CheckElements(InferScope& scope, std::span<const size_t> operands,
                   std::initializer_list<ElementType> allowed) {
  const size_t first = operands.front();
  const ElementType type = scope.input_element(first);
  for (size_t i : operands.subspan(1)) {
    if (scope.input_element(i) == type) continue;
    scope.Fault("input {} is {} and input {} is {}; both must have one element type", first,
                Name(type), i, Name(scope.input_element(i)));
    return false;
  }
  if (std::ranges::find(allowed, type) != allowed.end()) return true;
  std::string words;
  for (ElementType one : allowed)
    words += fmt::format("{}{}", words.empty() ? "" : ", ", Name(one));
  scope.Fault("input {} has element type {}; this operation supports {}", first, Name(type), words);
  return false;
}

}  // namespace weft::ops
