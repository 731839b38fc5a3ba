// SPDX-License-Identifier: Apache-2.0
// Operations that permute axes, their own or those of a finer shape: one strided copy, or none if
// only axes of extent 1 move.
#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"

namespace weft::ops {
namespace {

using Order = std::vector<size_t>;

// Output i is input 0, viewed with dims `fine`, with its axes permuted by `order`.
void Permute(LowerScope& scope, const Dims& fine, const Order& order, size_t i) {
  MoveToOutput(scope, 0, PermutedBy(fine, order), i);
}

// Input 1 as a permutation; an empty input means the reversed order.
std::optional<Order> ReadOrder(NodeScope& scope) {
  const int64_t rank = scope.rank(0);
  const std::optional<Dims> given = ControlInts(scope, 1, "order");
  if (!given) return std::nullopt;
  Order order(static_cast<size_t>(rank));
  if (given->empty()) {
    std::iota(order.rbegin(), order.rend(), size_t{0});
    return order;
  }
  Dims sorted = *given;
  std::sort(sorted.begin(), sorted.end());
  Dims identity(static_cast<size_t>(rank));
  std::iota(identity.begin(), identity.end(), 0);
  if (sorted != identity) {
    scope.Fault("order {} of a rank {} tensor; must name every axis once", ToString(*given), rank);
    return std::nullopt;
  }
  std::copy(given->begin(), given->end(), order.begin());
  return order;
}

void InferTranspose(InferScope& scope) {
  const std::optional<Order> order = ReadOrder(scope);
  if (!order) return;
  Dims dims;
  for (const size_t axis : *order) dims.push_back(scope.input_dims(0)[axis]);
  scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

void LowerTranspose(LowerScope& scope) {
  const Order order = ReadOrder(scope).value();
  const Dims dense = program::DenseStrides(scope.input_dims(0));
  Dims strides;
  for (const size_t axis : order) strides.push_back(dense[axis]);
  if (!scope.ForwardAt(strides)) Permute(scope, scope.input_dims(0), order, 0);
}

struct DepthSpec {
  int64_t block = 1;
  int64_t cube = 1;  // block ^ spatial axes
  bool depth_first = false;
};

std::optional<DepthSpec> ReadDepthSpec(NodeScope& scope) {
  static constexpr std::array<std::string_view, 2> kModes = {"blocks_first", "depth_first"};
  DepthSpec spec;
  spec.block = scope.attributes.Int("block_size", 1);
  spec.depth_first = scope.attributes.Choice("mode", "", kModes) == "depth_first";
  if (scope.rank(0) < 3) {
    scope.Fault("input 0 has rank {}; must have at least 3 axes: batch, depth, space",
                scope.rank(0));
    return std::nullopt;
  }
  if (spec.block < 1) {
    scope.Fault("block_size is {}; must be at least 1", spec.block);
    return std::nullopt;
  }
  for (int64_t axis = 2; axis < scope.rank(0); ++axis) {
    const std::optional<int64_t> cube = CheckedProduct(spec.cube, spec.block);
    if (!cube) {
      scope.Fault("block_size is {}; its power {} must fit 64 bits", spec.block, scope.rank(0) - 2);
      return std::nullopt;
    }
    spec.cube = *cube;
  }
  return spec;
}

void InferDepthToSpace(InferScope& scope) {
  const std::optional<DepthSpec> spec = ReadDepthSpec(scope);
  if (!spec) return;
  Dims dims = scope.input_dims(0);
  if (dims[1] % spec->cube != 0) {
    return scope.Fault("depth {} is not divisible by block_size {} to the power {}, which is {}",
                       dims[1], spec->block, dims.size() - 2, spec->cube);
  }
  dims[1] /= spec->cube;
  for (size_t axis = 2; axis < dims.size(); ++axis) {
    const std::optional<int64_t> dim = CheckedProduct(dims[axis], spec->block);
    if (!dim) return scope.Fault("axis {} of {} times {} overflows", axis, dims[axis], spec->block);
    dims[axis] = *dim;
  }
  scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

// Axes of the finer input: batch, blocks and depth in the order of the mode, spatial axes.
void LowerDepthToSpace(LowerScope& scope) {
  const DepthSpec spec = ReadDepthSpec(scope).value();
  const Dims& in = scope.input_dims(0);
  const size_t space = in.size() - 2;
  const size_t depth_at = spec.depth_first ? 1 : 1 + space;
  const size_t blocks_at = spec.depth_first ? 2 : 1;
  Dims fine(2 + 2 * space, spec.block);
  fine[0] = in[0];
  fine[depth_at] = in[1] / spec.cube;
  Order order = {0, depth_at};
  for (size_t i = 0; i < space; ++i) {
    fine[2 + space + i] = in[2 + i];
    order.insert(order.end(), {2 + space + i, blocks_at + i});
  }
  Permute(scope, fine, order, 0);
}

void InferSpaceToDepth(InferScope& scope) {
  const std::optional<DepthSpec> spec = ReadDepthSpec(scope);
  if (!spec) return;
  Dims dims = scope.input_dims(0);
  for (size_t axis = 2; axis < dims.size(); ++axis) {
    if (dims[axis] % spec->block != 0) {
      scope.Fault("axis {} of {} is not divisible by block_size {}", axis, dims[axis], spec->block);
    }
    dims[axis] /= spec->block;
  }
  const std::optional<int64_t> depth = CheckedProduct(dims[1], spec->cube);
  if (!depth) return scope.Fault("depth {} times {} overflows", dims[1], spec->cube);
  dims[1] = *depth;
  if (!scope.failed()) scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

// Axes of the finer input: batch, depth, then position and block of each spatial axis.
void LowerSpaceToDepth(LowerScope& scope) {
  const DepthSpec spec = ReadDepthSpec(scope).value();
  const Dims& in = scope.input_dims(0);
  Dims fine = {in[0], in[1]};
  Order blocks, positions;
  for (size_t axis = 2; axis < in.size(); ++axis) {
    positions.push_back(fine.size());
    blocks.push_back(fine.size() + 1);
    fine.insert(fine.end(), {in[axis] / spec.block, spec.block});
  }
  Order order = {0};
  if (spec.depth_first) order.push_back(1);
  order.insert(order.end(), blocks.begin(), blocks.end());
  if (!spec.depth_first) order.push_back(1);
  order.insert(order.end(), positions.begin(), positions.end());
  Permute(scope, fine, order, 0);
}

void InferShuffleChannels(InferScope& scope) {
  const std::optional<int64_t> axis =
      scope.NormalAxis(scope.attributes.Int("axis", 1), scope.rank(0));
  if (!axis) return;
  const int64_t group = scope.attributes.Int("group", 1);
  const int64_t channels = scope.input_dims(0)[static_cast<size_t>(*axis)];
  if (group < 1) return scope.Fault("group is {}; must be at least 1", group);
  if (channels % group != 0) {
    return scope.Fault("axis {} has {} channels, which are not divisible by group {}", *axis,
                       channels, group);
  }
  scope.SetOutput(0, scope.input_type(0));
}

void LowerShuffleChannels(LowerScope& scope) {
  const Dims& in = scope.input_dims(0);
  const size_t axis = WrappedAxis(scope.attributes.Int("axis", 1), scope.rank(0));
  const int64_t group = scope.attributes.Int("group", 1);
  Permute(scope,
          {ProductOf(in, 0, axis), group, in[axis] / group, ProductOf(in, axis + 1, in.size())},
          {0, 2, 1, 3}, 0);
}

void TransposeAxes(AxisScope& scope) {
  const int64_t rank = scope.rank(0);
  Dims order = scope.Ints(1).value_or(Dims());
  for (int64_t axis = rank; order.size() < static_cast<size_t>(rank);) order.push_back(--axis);
  for (int64_t to = 0; to < rank; ++to) scope.Pair(0, AxisScope::At(order, to), 0, to);
}

// Input and output may each have either order, because the node becomes another transposition.
void TransposePermutation(PermuteScope& scope) {
  const size_t rank = scope.dims(In(0)).size();
  const std::optional<Order> order = HasChannelAxis(rank) ? ReadOrder(scope) : std::nullopt;
  if (!order) return;
  for (size_t at = 0; at < rank; ++at) {
    const size_t axis = (*order)[scope.is_permuted(Out(0)) ? LastOrder(rank)[at] : at];
    const auto from = static_cast<int64_t>(axis);
    scope.permutation.ints[1].push_back(scope.is_permuted(In(0)) ? LastPosition(from, rank) : from);
  }
  scope.Tie({In(0)});
  scope.Tie({Out(0)});
}

void DepthAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  scope.relation.reason = "moves time steps between channels and space";
}

void ShuffleAxes(AxisScope& scope) {
  scope.Same(0, 0, OnlyAxis(scope, scope.attributes.Int("axis", 1)));
  scope.relation.reason = "moves time steps";
}

constexpr Traits kTransposes = {.picks = true,
                                .axes = TransposeAxes,
                                .permutation = TransposePermutation,
                                .steering = Steering::kShape,
                                .steered_from = 1};

constexpr Operation kTransposeRows[] = {
    {"Transpose", 1, 2, 2, InferTranspose, LowerTranspose, kTransposes},
    {"DepthToSpace", 1, 1, 1, InferDepthToSpace, LowerDepthToSpace, Picking(Apart(DepthAxes))},
    {"SpaceToDepth", 1, 1, 1, InferSpaceToDepth, LowerSpaceToDepth, Picking(Apart(DepthAxes))},
    {"ShuffleChannels", 1, 1, 1, InferShuffleChannels, LowerShuffleChannels,
     Picking(Apart(ShuffleAxes))},
};

}  // namespace

std::span<const Operation> TransposeOperations() { return kTransposeRows; }

}  // namespace weft::ops
