// SPDX-License-Identifier: Apache-2.0
// How elements move without changing: runs along each axis, their product as strided copies, and
// the cases that need no copy at all. Every operation that only moves data is a Movement; what it
// emits is as few copies as the runs allow, and none where the output is one piece of the input.
// Elements of less than a byte are moved by whole bytes or refused. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_MOVEMENT_H_
#define WEFT_CONVERTER_OPS_MOVEMENT_H_

#include <optional>
#include <string_view>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// A nest of loops, in elements: source[source_offset + i . source_strides] goes to
// target[target_offset + i . target_strides] for every i below counts. A source stride of 0
// repeats.
struct Nest {
  Dims counts, source_strides, target_strides;
  int64_t source_offset = 0;
  int64_t target_offset = 0;
};

// Per axis the nests that together fill it; every choice of one nest per axis is one strided copy.
using Movement = std::vector<std::vector<Nest>>;

// Places [target, target + count) of an axis take places source, source + step, ... of the source's
// axis; step 0 repeats one place, a negative step walks backwards. An empty run moves nothing.
struct Run {
  int64_t target = 0;
  int64_t count = 0;
  int64_t source = 0;
  int64_t step = 1;
};
using Runs = std::vector<Run>;

// The whole of an axis.
inline Runs WholeAxis(int64_t dim) { return {{0, dim, 0, 1}}; }
// All places of an axis, in their order?
inline bool IsInOrder(const Runs& runs, int64_t dim) {
  return runs.size() == 1 && runs[0].source == 0 && runs[0].step == 1 && runs[0].count == dim;
}

// Runs per axis of two dense tensors of equal rank.
Movement MovementOf(const std::vector<Runs>& axes, const Dims& source, const Dims& target);

// The nest with source and target exchanged.
Nest Reversed(Nest nest);

// One run of elements that both sides hold as one piece.
struct Piece {
  int64_t source_offset = 0;
  int64_t target_offset = 0;
  int64_t count = 0;
};

// The piece that a movement is, if it is one. Movements of nothing are not.
std::optional<Piece> PieceOf(const Movement& movement);

// Emits the copies of a movement from value to value. Nests that stay above rank 8 after joining
// their loops are laid out as several copies over the shortest of them.
void EmitMovement(plan::Builder& builder, plan::ValueId source, plan::ValueId target,
                  const Movement& movement);

// What the movement makes of a source with elements of whole bytes: a view of it where it is one
// piece, else a new value and copies.
plan::ValueId Moved(plan::Builder& builder, plan::ValueId source, const Movement& movement,
                    const TensorType& type);

// Makes output i from input `from`: the same value when all of it stays in order, a view when the
// output is one piece of the input, else a new value and copies. An empty output has no steps.
void MoveToOutput(LowerScope& scope, size_t from, const Movement& movement, size_t i);

// The mirror image: copies input `from` into its place in `target`, by bytes where both sides are
// one piece, so that the planner can let the producer write there.
void MoveIntoPart(LowerScope& scope, size_t from, const Movement& movement, plan::ValueId target);

// Input i has elements of whole bytes; else a fault that says what such elements can do.
bool HasWholeBytes(NodeScope& scope, size_t i);

// nullopt on overflow.
std::optional<int64_t> CheckedProduct(int64_t a, int64_t b);
std::optional<int64_t> CheckedSum(int64_t a, int64_t b);

// The values of a constant input of any integer type: one-dimensional with `count` elements (any
// number when negative). A scalar stands for one element where `scalar` allows it.
enum class Scalar { kRefused, kAllowed };
std::optional<Dims> ControlInts(NodeScope& scope, size_t i, std::string_view what,
                                int64_t count = -1, Scalar scalar = Scalar::kRefused);

// As above for exactly one number: a scalar or a tensor of one element.
std::optional<int64_t> ControlInt(NodeScope& scope, size_t i, std::string_view what);

// A negative axis counts from the end; the shape rule has checked its range.
inline size_t WrappedAxis(int64_t axis, int64_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

// Product of dims[first, last).
int64_t ProductOf(const Dims& dims, size_t first, size_t last);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_MOVEMENT_H_
