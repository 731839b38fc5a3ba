// SPDX-License-Identifier: Apache-2.0
// Broadcast and Tile: repeat elements along axes by one strided copy with source stride 0.
#include <algorithm>
#include <array>
#include <string_view>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

// Exporters write "none" in version 1; the OpenVINO specification says "explicit".
constexpr std::array<std::string_view, 3> kFirstModes = {"numpy", "explicit", "none"};
constexpr std::array<std::string_view, 3> kThirdModes = {"numpy", "explicit", "bidirectional"};

// Input axis i becomes output axis axes[i]. It keeps its extent or, if it is 1, repeats. Other
// output axes repeat.
struct Repeat {
  Dims output;
  std::vector<size_t> axes;
};

// Checks that every input axis fits its output axis.
std::optional<Repeat> Checked(NodeScope& scope, Repeat repeat) {
  const Dims& input = scope.input_dims(0);
  for (size_t i = 0; i < input.size(); ++i) {
    const int64_t position = repeat.output[repeat.axes[i]];
    if (input[i] == 1 || input[i] == position) continue;
    scope.Fault("{} does not broadcast to {}: axis {} is {} and the target {}; must be equal or 1",
                ToString(scope.input_type(0)), ToString(repeat.output), i, input[i], position);
    return std::nullopt;
  }
  return repeat;
}

// Aligns axes at the end.
std::optional<Repeat> Trailing(NodeScope& scope, Dims output) {
  const size_t rank = scope.input_dims(0).size();
  if (rank > output.size()) {
    scope.Fault(
        "input {} has rank {} and target_shape {} rank {}; target_shape must not have a lower rank",
        ToString(scope.input_type(0)), rank, ToString(output), output.size());
    return std::nullopt;
  }
  Repeat repeat{std::move(output), {}};
  for (size_t i = 0; i < rank; ++i) repeat.axes.push_back(repeat.output.size() - rank + i);
  return Checked(scope, std::move(repeat));
}

std::optional<Repeat> Explicit(NodeScope& scope, Dims output) {
  const int64_t rank = static_cast<int64_t>(output.size());
  // The mapping of a scalar may be empty; OpenVINO also accepts one element, as for [1].
  const bool is_scalar = scope.rank(0) == 0;
  std::optional<Dims> mapping =
      ControlInts(scope, 2, "axes_mapping", is_scalar ? -1 : scope.rank(0), Scalar::kAllowed);
  if (!mapping) return std::nullopt;
  if (is_scalar && mapping->size() > 1) {
    scope.Fault("axes_mapping {} has {} elements for a scalar; must have none or one",
                ToString(*mapping), mapping->size());
    return std::nullopt;
  }
  Repeat repeat{std::move(output), {}};
  for (size_t i = 0; i < mapping->size(); ++i) {
    const int64_t axis = (*mapping)[i];
    if (axis < 0 || axis >= rank || (i > 0 && axis <= (*mapping)[i - 1])) {
      scope.Fault("axes_mapping {} holds {}; must ascend and name axes from 0 to {}",
                  ToString(*mapping), axis, rank - 1);
      return std::nullopt;
    }
    repeat.axes.push_back(static_cast<size_t>(axis));
  }
  return Checked(scope, std::move(repeat));
}

// Both shapes broadcast: output axes with target extent 1 keep the extent of the input.
std::optional<Repeat> Bidirectional(NodeScope& scope, const Dims& target) {
  const Dims& input = scope.input_dims(0);
  Dims output = target;
  if (output.size() < input.size()) output.insert(output.begin(), input.size() - output.size(), 1);
  for (size_t i = 0; i < input.size(); ++i) {
    int64_t& position = output[output.size() - input.size() + i];
    if (position == 1) position = input[i];
  }
  return Trailing(scope, std::move(output));
}

std::optional<Repeat> ReadRepeat(NodeScope& scope, std::span<const std::string_view> modes) {
  const std::string mode = scope.attributes.Choice("mode", "numpy", modes);
  const std::optional<Dims> target = ControlInts(scope, 1, "target_shape");
  if (!target) return std::nullopt;
  for (const int64_t dim : *target) {
    if (dim >= 0) continue;
    scope.Fault("target_shape {} holds {}; no dimension may be negative", ToString(*target), dim);
    return std::nullopt;
  }
  if (mode == "explicit" || mode == "none") return Explicit(scope, *target);
  if (mode == "bidirectional") return Bidirectional(scope, *target);
  return Trailing(scope, *target);
}

std::optional<Repeat> ReadFirst(NodeScope& scope) { return ReadRepeat(scope, kFirstModes); }
std::optional<Repeat> ReadThird(NodeScope& scope) { return ReadRepeat(scope, kThirdModes); }

template <std::optional<Repeat> (*Read)(NodeScope&)>
void InferBroadcast(InferScope& scope) {
  std::optional<Repeat> repeat = Read(scope);
  if (repeat) scope.SetOutput(0, scope.input_element(0), std::move(repeat->output));
}

template <std::optional<Repeat> (*Read)(NodeScope&)>
void LowerBroadcast(LowerScope& scope) {
  const Repeat repeat = Read(scope).value();
  const Dims& input = scope.input_dims(0);
  const Dims source_strides = program::DenseStrides(input);
  const Dims target_strides = program::DenseStrides(repeat.output);
  Movement movement;
  for (size_t axis = 0; axis < repeat.output.size(); ++axis) {
    movement.push_back({Nest{{repeat.output[axis]}, {0}, {target_strides[axis]}}});
  }
  for (size_t i = 0; i < input.size(); ++i) {
    if (input[i] != 1) movement[repeat.axes[i]][0].source_strides = {source_strides[i]};
  }
  MoveToOutput(scope, 0, movement, 0);
}

// Dims and repeats, with leading ones so that both have the same rank.
struct Tiling {
  Dims dims, repeats;
};

std::optional<Tiling> ReadTiling(NodeScope& scope) {
  const std::optional<Dims> repeats = ControlInts(scope, 1, "repeats", -1, Scalar::kAllowed);
  if (!repeats) return std::nullopt;
  Tiling tiling{scope.input_dims(0), *repeats};
  const size_t rank = std::max(tiling.dims.size(), tiling.repeats.size());
  tiling.dims.insert(tiling.dims.begin(), rank - tiling.dims.size(), 1);
  tiling.repeats.insert(tiling.repeats.begin(), rank - tiling.repeats.size(), 1);
  return tiling;
}

void InferTile(InferScope& scope) {
  const std::optional<Tiling> tiling = ReadTiling(scope);
  if (!tiling) return;
  Dims output;
  for (size_t axis = 0; axis < tiling->dims.size(); ++axis) {
    const auto dim = CheckedProduct(tiling->dims[axis], tiling->repeats[axis]);
    if (tiling->repeats[axis] < 0 || !dim) {
      return scope.Fault("repeats {} hold {} for an axis of {}; must be a number of copies",
                         ToString(tiling->repeats), tiling->repeats[axis], tiling->dims[axis]);
    }
    output.push_back(*dim);
  }
  scope.SetOutput(0, scope.input_element(0), std::move(output));
}

void LowerTile(LowerScope& scope) {
  const Tiling tiling = ReadTiling(scope).value();
  const Dims source_strides = program::DenseStrides(tiling.dims);
  const Dims target_strides = program::DenseStrides(scope.output_type(0).dims);
  Movement movement;
  for (size_t axis = 0; axis < tiling.dims.size(); ++axis) {
    const int64_t dim = tiling.dims[axis], stride = target_strides[axis];
    movement.push_back(
        {Nest{{tiling.repeats[axis], dim}, {0, source_strides[axis]}, {dim * stride, stride}}});
  }
  MoveToOutput(scope, 0, movement, 0);
}

// Input axis i is aligned to output axis places[i]; broadcast axes repeat.
void RepeatedAxes(AxisScope& scope, const std::vector<int64_t>& positions) {
  const Dims& in = scope.in(0);
  // A scalar may have an entry in `positions`, which refers to none of its axes.
  const auto end = positions.begin() + std::min(std::ssize(positions), std::ssize(in));
  for (size_t axis = 0; axis < scope.out(0).size(); ++axis) {
    const auto to = static_cast<int64_t>(axis);
    const auto found = std::find(positions.begin(), end, to);
    const auto from = found - positions.begin();
    const int64_t dim = found == end ? 1 : AxisScope::At(in, from);
    if (found != end && dim == scope.out(0)[axis]) {
      scope.Pair(0, from, 0, to);
    } else if (dim == 1) {
      scope.relation.groups.push_back({{true, 0, to}});
    }
  }
  scope.relation.stretches = true;
  scope.relation.reason = "repeats the time axis";
}

std::vector<int64_t> TrailingAxes(const AxisScope& scope) {
  std::vector<int64_t> positions(scope.in(0).size());
  auto position = static_cast<int64_t>(scope.out(0).size() - positions.size());
  for (int64_t& at : positions) at = position++;
  return positions;
}

void TileAxes(AxisScope& scope) { RepeatedAxes(scope, TrailingAxes(scope)); }

void BroadcastAxes(AxisScope& scope) {
  const std::string mode = scope.attributes.Text("mode", "numpy");
  const bool mapped = scope.has_input(2) && (mode == "explicit" || mode == "none");
  RepeatedAxes(scope, mapped ? scope.Ints(2).value_or(Dims()) : TrailingAxes(scope));
}

constexpr Operation kTileRows[] = {
    {"Broadcast", 1, 2, 3, InferBroadcast<ReadFirst>, LowerBroadcast<ReadFirst>,
     Picking(ShapedBy(BroadcastAxes))},
    {"Broadcast", 3, 2, 3, InferBroadcast<ReadThird>, LowerBroadcast<ReadThird>,
     Picking(ShapedBy(BroadcastAxes))},
    {"Tile", 1, 2, 2, InferTile, LowerTile, Picking(ShapedBy(TileAxes))},
};

}  // namespace

std::span<const Operation> TileOperations() { return kTileRows; }

}  // namespace weft::ops
