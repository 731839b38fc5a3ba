// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/movement.h"

#include <algorithm>
#include <cstdlib>

namespace weft::ops {
namespace {

constexpr size_t kMaxCopyRank = 8;  // of CopyParams

struct Loop {
  int64_t count, source_stride, target_stride;
};

bool IsEmpty(const Nest& nest) {
  return std::find(nest.counts.begin(), nest.counts.end(), 0) != nest.counts.end();
}

void Append(Nest& nest, const Nest& part) {
  nest.counts.insert(nest.counts.end(), part.counts.begin(), part.counts.end());
  nest.source_strides.insert(nest.source_strides.end(), part.source_strides.begin(),
                             part.source_strides.end());
  nest.target_strides.insert(nest.target_strides.end(), part.target_strides.begin(),
                             part.target_strides.end());
  nest.source_offset += part.source_offset;
  nest.target_offset += part.target_offset;
}

// All choices of one nest per axis, merged; empty nests are omitted.
std::vector<Nest> Products(const Movement& movement) {
  std::vector<Nest> products(1);
  for (const std::vector<Nest>& axis : movement) {
    std::vector<Nest> longer;
    for (const Nest& product : products) {
      for (const Nest& part : axis) {
        if (IsEmpty(part)) continue;
        longer.push_back(product);
        Append(longer.back(), part);
      }
    }
    products = std::move(longer);
  }
  return products;
}

// The nest in the order of the target's memory. Loops of one iteration are dropped, and adjacent
// loops are merged if their strides are consecutive on both sides.
std::vector<Loop> Joined(const Nest& nest) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < nest.counts.size(); ++i) {
    if (nest.counts[i] == 1) continue;
    loops.push_back({nest.counts[i], nest.source_strides[i], nest.target_strides[i]});
  }
  std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
    return std::abs(a.target_stride) > std::abs(b.target_stride);
  });
  std::vector<Loop> joined;
  for (const Loop& loop : loops) {
    if (!joined.empty() && joined.back().source_stride == loop.source_stride * loop.count &&
        joined.back().target_stride == loop.target_stride * loop.count) {
      joined.back() = {joined.back().count * loop.count, loop.source_stride, loop.target_stride};
    } else {
      joined.push_back(loop);
    }
  }
  return joined;
}

void EmitLoops(program::Builder& builder, program::ValueId source, program::ValueId target,
               std::vector<Loop> loops, int64_t source_offset, int64_t target_offset) {
  if (loops.size() > kMaxCopyRank) {
    const auto shortest = std::min_element(
        loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.count < b.count; });
    const Loop laid_out = *shortest;
    loops.erase(shortest);
    for (int64_t i = 0; i < laid_out.count; ++i) {
      EmitLoops(builder, source, target, loops, source_offset + i * laid_out.source_stride,
                target_offset + i * laid_out.target_stride);
    }
    return;
  }
  Dims counts, source_strides, target_strides;
  for (const Loop& loop : loops) {
    counts.push_back(loop.count);
    source_strides.push_back(loop.source_stride);
    target_strides.push_back(loop.target_stride);
  }
  builder.CopyStrided(source, target, counts, source_strides, source_offset, target_strides,
                      target_offset);
}

bool OnByte(ElementType type, int64_t elements) { return elements * BitsOf(type) % 8 == 0; }

int64_t BytesOf(ElementType type, int64_t elements) { return elements * BitsOf(type) / 8; }

// Returns true if elements [first, first + count) begin at a byte and end at a byte or at the end
// of the tensor, which has `total` elements.
bool FillsBytes(ElementType type, int64_t first, int64_t count, int64_t total) {
  return OnByte(type, first) && (OnByte(type, count) || first + count == total);
}

// The contiguous piece of the source that covers the target, if there is one and it begins at a
// byte.
std::optional<Piece> BytePiece(const Movement& movement, const TensorType& target) {
  const std::optional<Piece> piece = PieceOf(movement);
  const bool is_all = piece && piece->count == ElementCount(target.dims) &&
                      OnByte(target.type, piece->source_offset);
  return is_all ? piece : std::nullopt;
}

// A one-dimensional view of `count` elements of `whole` from `first` on; `whole` itself if these
// are all its elements.
program::ValueId Part(program::Builder& builder, program::ValueId whole, int64_t first,
                      int64_t count) {
  const ElementType type = builder.type(whole);
  if (first == 0 && ElementCount(builder.dims(whole)) == count) return whole;
  return builder.View(whole, BytesOf(type, first), {type, {count}});
}

}  // namespace

Movement MovementOf(const std::vector<Runs>& axes, const Dims& source, const Dims& target) {
  const Dims source_strides = program::DenseStrides(source);
  const Dims target_strides = program::DenseStrides(target);
  Movement movement(axes.size());
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    for (const Run& run : axes[axis]) {
      if (run.count <= 0) continue;
      Nest nest;
      nest.counts = {run.count};
      nest.source_strides = {run.step * source_strides[axis]};
      nest.target_strides = {target_strides[axis]};
      nest.source_offset = run.source * source_strides[axis];
      nest.target_offset = run.target * target_strides[axis];
      movement[axis].push_back(std::move(nest));
    }
  }
  return movement;
}

std::optional<Piece> PieceOf(const Movement& movement) {
  const std::vector<Nest> products = Products(movement);
  if (products.size() != 1) return std::nullopt;
  const Nest& nest = products[0];
  const std::vector<Loop> loops = Joined(nest);
  if (loops.empty()) return Piece{nest.source_offset, nest.target_offset, 1};
  if (loops.size() > 1 || loops[0].source_stride != 1 || loops[0].target_stride != 1) {
    return std::nullopt;
  }
  return Piece{nest.source_offset, nest.target_offset, loops[0].count};
}

Movement PermutedBy(const Dims& source, const std::vector<size_t>& order) {
  Dims target;
  for (const size_t axis : order) target.push_back(source[axis]);
  const Dims source_strides = program::DenseStrides(source);
  const Dims target_strides = program::DenseStrides(target);
  Movement movement;
  for (size_t i = 0; i < order.size(); ++i) {
    movement.push_back({Nest{{target[i]}, {source_strides[order[i]]}, {target_strides[i]}}});
  }
  return movement;
}

Movement Reversed(Movement movement) {
  for (std::vector<Nest>& nests : movement) {
    for (Nest& nest : nests) {
      std::swap(nest.source_strides, nest.target_strides);
      std::swap(nest.source_offset, nest.target_offset);
    }
  }
  return movement;
}

void EmitMovement(program::Builder& builder, program::ValueId source, program::ValueId target,
                  const Movement& movement) {
  for (const Nest& nest : Products(movement)) {
    EmitLoops(builder, source, target, Joined(nest), nest.source_offset, nest.target_offset);
  }
}

program::ValueId Moved(program::Builder& builder, program::ValueId source, const Movement& movement,
                       const TensorType& type) {
  if (const std::optional<Piece> piece = BytePiece(movement, type)) {
    return builder.View(source, BytesOf(type.type, piece->source_offset), type);
  }
  const program::ValueId target = builder.Scratch(type);
  EmitMovement(builder, source, target, movement);
  return target;
}

void MoveToOutput(LowerScope& scope, size_t from, const Movement& movement, size_t i) {
  const TensorType type = scope.output_type(i);
  if (ElementCount(type.dims).value_or(0) == 0) {
    scope.NewOutput(i);
    return;
  }
  if (!BytePiece(movement, type) && !HasByteElements(scope, from)) return;
  scope.SetOutput(i, Moved(scope.builder, scope.input(from), movement, type));
}

void MoveIntoPart(LowerScope& scope, size_t from, const Movement& movement,
                  program::ValueId target) {
  const TensorType& type = scope.input_type(from);
  program::Builder& builder = scope.builder;
  const int64_t source_count = ElementCount(type.dims).value_or(0);
  const int64_t target_count = ElementCount(builder.dims(target)).value_or(0);
  if (source_count == 0) return;
  const std::optional<Piece> piece = PieceOf(movement);
  if (piece && FillsBytes(type.type, piece->source_offset, piece->count, source_count) &&
      FillsBytes(type.type, piece->target_offset, piece->count, target_count)) {
    builder.Copy(Part(builder, scope.input(from), piece->source_offset, piece->count),
                 Part(builder, target, piece->target_offset, piece->count));
    return;
  }
  if (!HasByteElements(scope, from)) return;
  EmitMovement(builder, scope.input(from), target, movement);
}

bool HasByteElements(NodeScope& scope, size_t i) {
  if (ElementBytes(scope.input_element(i)) > 0) return true;
  scope.Fault(
      "moves single elements of input {}, which is {}; {} must keep its order or be "
      "split at byte boundaries (convert it to i8 or u8 first)",
      i, ToString(scope.input_type(i)), Name(scope.input_element(i)));
  return false;
}

std::optional<int64_t> CheckedProduct(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<int64_t> CheckedSum(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<Dims> ControlInts(NodeScope& scope, size_t i, std::string_view what, int64_t count,
                                Scalar scalar) {
  if (scope.has_input(i)) {
    const ElementType type = scope.input_element(i);
    if (IsFloat(type) || type == ElementType::boolean) {
      scope.Fault("input {} ({}) is {}; must be of an integer type", i, what, Name(type));
      return std::nullopt;
    }
    if (scope.rank(i) > 1 || (scope.rank(i) == 0 && scalar == Scalar::kRefused)) {
      scope.Fault("input {} ({}) has rank {}; must be one-dimensional", i, what, scope.rank(i));
      return std::nullopt;
    }
  }
  std::optional<Dims> values = scope.RequireInts(i, what);
  if (values && count >= 0 && static_cast<int64_t>(values->size()) != count) {
    scope.Fault("input {} ({}) has {} elements; must have {}", i, what, values->size(), count);
    return std::nullopt;
  }
  return values;
}

std::optional<int64_t> ControlInt(NodeScope& scope, size_t i, std::string_view what) {
  const std::optional<Dims> values = ControlInts(scope, i, what, 1, Scalar::kAllowed);
  if (!values) return std::nullopt;
  return values->front();
}

}  // namespace weft::ops
