// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/ring.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"

namespace weft::ops {
namespace {

RingReads ReadsOf(const NodeScope& scope) {
  RingReads reads;
  reads.axis = scope.attributes.Int("axis", reads.axis);
  reads.first = scope.attributes.Int("first", reads.first);
  reads.taps = scope.attributes.Int("taps", reads.taps);
  reads.dilation = scope.attributes.Int("dilation", reads.dilation);
  reads.length = scope.attributes.Int("length", reads.length);
  reads.order = static_cast<format::RingOrder>(scope.attributes.Int("order", 0));
  return reads;
}

// Index of the axis of past positions within a ring, for data of that rank.
size_t AxisOfPositions(const RingReads& reads, size_t rank) {
  switch (reads.order) {
    case format::RingOrder::outer_positions_inner:
      return static_cast<size_t>(reads.axis);
    case format::RingOrder::outer_inner_positions:
      return rank - 1;
    default:
      return 0;
  }
}

void InferRing(InferScope& scope) {
  const RingReads reads = ReadsOf(scope);
  TensorType window = scope.input_type(0);
  window.dims[static_cast<size_t>(reads.axis)] = reads.taps * reads.length;
  scope.SetOutput(0, window);
  for (size_t i = 1; i < scope.output_count(); ++i) scope.SetOutput(i, scope.input_type(i));
}

void LowerRing(LowerScope& scope) {
  if (!HasByteElements(scope, 0)) return;
  const RingReads reads = ReadsOf(scope);
  const Dims& dims = scope.input_dims(0);
  const auto axis = static_cast<size_t>(reads.axis);
  format::RingParams params;
  params.mutate_outer(Narrow32(ProductOf(dims, 0, axis), "outer"));
  params.mutate_past(Narrow32(scope.input_dims(1)[AxisOfPositions(reads, dims.size())], "past"));
  params.mutate_positions(Narrow32(dims[axis], "places"));
  params.mutate_inner(Narrow32(ProductOf(dims, axis + 1, dims.size()), "inner"));
  params.mutate_first(Narrow32(reads.first, "first"));
  params.mutate_taps(Narrow32(reads.taps, "taps"));
  params.mutate_dilation(Narrow32(reads.dilation, "dilation"));
  params.mutate_length(Narrow32(reads.length, "length"));
  params.mutate_element_bytes(Narrow32(ElementBytes(scope.input_element(0)), "element bytes"));
  params.mutate_order(reads.order);
  std::vector<program::ValueId> inputs, outputs;
  for (size_t i = 0; i < scope.node().inputs.size(); ++i) inputs.push_back(scope.input(i));
  for (size_t i = 0; i < scope.node().outputs.size(); ++i) outputs.push_back(scope.NewOutput(i));
  inputs.resize(3, program::kNone);
  outputs.resize(3, program::kNone);
  scope.builder.Emit(params, std::move(inputs), std::move(outputs));
}

// Returns true if all elements are equal. A ring whose positions come first stores the other axes
// in the data's order, so that only such an initial value is independent of a permutation.
bool AreAllAlike(const ir::Constant& constant) {
  const std::span<const std::byte> bytes = constant.bytes;
  const auto size = static_cast<size_t>(ElementBytes(constant.type.type));
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
}

void RingPermutation(PermuteScope& scope) {
  const ir::Node& read = *scope.node().inputs[1].node;
  const bool is_variable = ir::IsReadValue(read) && !read.inputs.empty();
  const ir::Source first = is_variable ? read.inputs[0] : ir::Source();
  const size_t rank = scope.dims(In(0)).size();
  const RingReads reads = ReadsOf(scope);
  if (reads.order != format::RingOrder::positions_outer_inner) return;
  const bool keeps_order = rank == 3 || (first.node != nullptr && first.node->constant &&
                                         AreAllAlike(*first.node->constant));
  if (!HasChannelAxis(rank) || !keeps_order) return;
  scope.permutation.attributes["axis"] = std::to_string(LastPosition(reads.axis, rank));
  SamePermutation(scope);
}

constexpr Traits kMovesRing = {.foldable = false, .permutation = RingPermutation};
constexpr Operation kRing = {"Ring", kPassOnly, 2, 3, InferRing, LowerRing, kMovesRing};

}  // namespace

std::map<std::string, std::string> AttributesOf(const RingReads& reads) {
  return {{"axis", std::to_string(reads.axis)},
          {"first", std::to_string(reads.first)},
          {"taps", std::to_string(reads.taps)},
          {"dilation", std::to_string(reads.dilation)},
          {"length", std::to_string(reads.length)},
          {"order", std::to_string(static_cast<int>(reads.order))}};
}

TensorType RingType(const TensorType& data, const RingReads& reads, int64_t past) {
  TensorType type = data;
  const size_t at = AxisOfPositions(reads, data.dims.size());
  type.dims.erase(type.dims.begin() + static_cast<std::ptrdiff_t>(reads.axis));
  type.dims.insert(type.dims.begin() + static_cast<std::ptrdiff_t>(at), past);
  return type;
}

const Operation& RingOperation() { return kRing; }

}  // namespace weft::ops
