// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/positions.h"

#include <algorithm>
#include <numeric>

#include "converter/base/narrow.h"

namespace weft::ops {
namespace {

// Splits the positions into runs of constant distance.
Runs RunsOf(const Dims& positions) {
  Runs runs;
  const auto count = static_cast<int64_t>(positions.size());
  const auto at = [&](int64_t i) { return positions[static_cast<size_t>(i)]; };
  for (int64_t first = 0; first < count;) {
    int64_t last = first + 1;
    const int64_t step = last < count ? at(last) - at(first) : 1;
    while (last < count && at(last) - at(last - 1) == step) ++last;
    runs.push_back({first, last - first, at(first), step});
    first = last;
  }
  return runs;
}

Movement MovementOfRuns(const GatherGeometry& geometry, const Runs& runs) {
  return MovementOf({FullAxis(geometry.outer), runs, FullAxis(geometry.inner)},
                    {geometry.outer, geometry.axis, geometry.inner},
                    {geometry.outer, geometry.indices, geometry.inner});
}

int64_t IndexFromStart(int64_t index, int64_t dim) { return index < 0 ? index + dim : index; }

// Returns true if each group of `row` offsets is contiguous and starts at a multiple of `row`.
bool StayTogether(const Dims& positions, int64_t row) {
  for (size_t i = 0; i < positions.size(); ++i) {
    const bool first = static_cast<int64_t>(i) % row == 0;
    if (first ? positions[i] % row != 0 : positions[i] != positions[i - 1] + 1) return false;
  }
  return true;
}

}  // namespace

void EmitGather(program::Builder& builder, const GatherGeometry& geometry, program::ValueId x,
                program::ValueId indices, program::ValueId y) {
  const format::GatherParams params(
      Narrow32(geometry.batch, "batch"), Narrow32(geometry.outer, "outer"),
      Narrow32(geometry.axis, "axis"), Narrow32(geometry.inner, "inner"),
      Narrow32(geometry.indices, "indices"),
      Narrow32(ElementBytes(builder.type(x)), "element bytes"), builder.type(indices), 0, 0);
  builder.Emit(params, {x, indices}, {y});
}

void EmitKnownGather(program::Builder& builder, const GatherGeometry& geometry, program::ValueId x,
                     const Dims& positions, program::ValueId y) {
  const bool fits = std::ranges::all_of(
      positions, [](int64_t position) { return std::in_range<int32_t>(position); });
  const ElementType type = fits ? ElementType::i32 : ElementType::i64;
  EmitGather(builder, geometry, x, IntegerWeights(builder, type, positions), y);
}

void SelectPositions(LowerScope& scope, const GatherGeometry& geometry, const Dims& positions) {
  const Runs runs = RunsOf(positions);
  if (geometry.batch == 1 && runs.size() <= kMaxRuns) {
    return MoveToOutput(scope, 0, MovementOfRuns(geometry, runs), 0);
  }
  if (!HasByteElements(scope, 0)) return;
  const program::ValueId x = scope.input(0);
  EmitKnownGather(scope.builder, geometry, x, positions, scope.NewOutput(0));
}

program::ValueId PositionsOf(program::Builder& builder, program::ValueId x,
                             const GatherGeometry& geometry, const Dims& positions) {
  const TensorType type{builder.type(x), {geometry.outer, geometry.indices, geometry.inner}};
  const Runs runs = RunsOf(positions);
  const Movement movement = MovementOfRuns(geometry, runs);
  const std::optional<Piece> piece = PieceOf(movement);
  if (piece && piece->count == ElementCount(type.dims)) {
    return builder.View(x, piece->source_offset * ElementBytes(type.type), type);
  }
  const program::ValueId y = builder.Scratch(type);
  if (runs.size() <= kMaxRuns) {
    EmitMovement(builder, x, y, movement);
  } else {
    EmitKnownGather(builder, geometry, x, positions, y);
  }
  return y;
}

void EmitPermuted(program::Builder& builder, program::ValueId x, const Dims& to, bool back,
                  program::ValueId y) {
  const Dims permuted = program::DenseStrides(to);
  const Dims straight = {to[1] * to[2], 1, to[1]};
  builder.CopyStrided(x, y, to, back ? permuted : straight, 0, back ? straight : permuted, 0);
}

program::ValueId IntegerWeights(program::Builder& builder, ElementType type, const Dims& numbers) {
  const TensorType wanted{type, {static_cast<int64_t>(numbers.size())}};
  if (type == ElementType::i64) return builder.WeightsOf(wanted, numbers);
  std::vector<int32_t> narrow;
  for (const int64_t number : numbers) narrow.push_back(Narrow<int32_t>(number, "number"));
  return builder.WeightsOf(wanted, narrow);
}

program::ValueId IndexSequence(program::Builder& builder, ElementType type, int64_t count) {
  Dims positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  return IntegerWeights(builder, type, positions);
}

void CheckIndexType(InferScope& scope, size_t i, std::string_view what) {
  const ElementType type = scope.input_element(i);
  if (type == ElementType::i32 || type == ElementType::i64) return;
  scope.Fault("input {} ({}) is {}; must be i32 or i64", i, what, Name(type));
}

ElementType IndexTypeOf(const NodeScope& scope, std::string_view key, std::string_view fallback) {
  constexpr std::string_view kIndexTypes[] = {"i64", "i32"};
  return ParseElementType(scope.attributes.Choice(key, fallback, kIndexTypes)).value();
}

bool CheckIndex(InferScope& scope, int64_t index, int64_t dim) {
  if (index >= -dim && index < dim) return true;
  scope.Fault("index {} of an axis of {}; must be from {} to {}", index, dim, -dim, dim - 1);
  return false;
}

Dims ElementOffsets(const Dims& data, size_t axis, const Dims& dims, const Dims& indices) {
  const Dims strides = program::DenseStrides(data);
  Dims positions;
  for (size_t i = 0; i < indices.size(); ++i) {
    int64_t position = IndexFromStart(indices[i], data[axis]) * strides[axis];
    auto rest = static_cast<int64_t>(i);
    for (size_t at = dims.size(); at-- > 0; rest /= dims[at]) {
      if (at != axis) position += rest % dims[at] * strides[at];
    }
    positions.push_back(position);
  }
  return positions;
}

Dims TupleRows(const Dims& data, size_t batch_dims, const Dims& dims, const Dims& indices) {
  const auto depth = static_cast<size_t>(dims.back());
  const int64_t batch = ProductOf(data, 0, batch_dims);
  Dims positions;
  for (size_t first = 0; first < indices.size(); first += depth) {
    // Tuples of one batch are adjacent.
    int64_t position = static_cast<int64_t>(first) * batch / static_cast<int64_t>(indices.size());
    for (size_t i = 0; i < depth; ++i) {
      const int64_t dim = data[batch_dims + i];
      position = position * dim + IndexFromStart(indices[first + i], dim);
    }
    positions.push_back(position);
  }
  return positions;
}

GroupedRows GroupRows(const Dims& positions, const Dims& dims, int64_t total) {
  GroupedRows rows{1, positions};
  for (size_t axis = 0; axis <= dims.size() && !positions.empty(); ++axis) {
    const int64_t inner = ProductOf(dims, axis, dims.size());
    if (total % inner != 0 || !StayTogether(positions, inner)) continue;
    rows = {inner, {}};
    for (size_t i = 0; i < positions.size(); i += static_cast<size_t>(inner)) {
      rows.positions.push_back(positions[i] / inner);
    }
    return rows;
  }
  return rows;
}

}  // namespace weft::ops
