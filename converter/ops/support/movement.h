// SPDX-License-Identifier: Apache-2.0
// Movement of elements without change: runs along each axis, their product as strided copies, and
// the cases that need no copy. Every operation that only moves data is a Movement. It emits as few
// copies as the runs permit, and none if the output is one piece of the input. Elements smaller
// than a byte are moved in complete bytes or rejected. Values belong to the builder.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_MOVEMENT_H_
#define WEFT_CONVERTER_OPS_SUPPORT_MOVEMENT_H_

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

// Per axis, the nests that together fill it. Every choice of one nest per axis is one strided copy.
using Movement = std::vector<std::vector<Nest>>;

// Positions [target, target + count) of an axis are copied from positions source, source + step,
// ... of the source's axis. Step 0 repeats one position; a negative step runs backwards. An empty
// run moves nothing.
struct Run {
  int64_t target = 0;
  int64_t count = 0;
  int64_t source = 0;
  int64_t step = 1;
};
using Runs = std::vector<Run>;

// The run that copies a complete axis.
inline Runs FullAxis(int64_t dim) { return {{0, dim, 0, 1}}; }
inline std::vector<Runs> WholeAxes(const Dims& dims) {
  std::vector<Runs> runs;
  for (const int64_t dim : dims) runs.push_back(FullAxis(dim));
  return runs;
}
// Returns true if the runs copy all positions of an axis in order.
inline bool IsInOrder(const Runs& runs, int64_t dim) {
  return runs.size() == 1 && runs[0].source == 0 && runs[0].step == 1 && runs[0].count == dim;
}

// The movement by runs per axis between two dense tensors of equal rank.
Movement MovementOf(const std::vector<Runs>& axes, const Dims& source, const Dims& target);

// The movement that makes axis order[i] of a dense tensor axis i of another one.
Movement PermutedBy(const Dims& source, const std::vector<size_t>& order);

// The movement with source and target exchanged.
Movement Reversed(Movement movement);

// One run of elements that is contiguous in source and target.
struct Piece {
  int64_t source_offset = 0;
  int64_t target_offset = 0;
  int64_t count = 0;
};

// The movement as one piece, or nullopt if it is none. An empty movement is no piece.
std::optional<Piece> PieceOf(const Movement& movement);

// Emits the copies of a movement from value to value. Nests of rank above 8 after merging their
// loops are emitted as several copies over the shortest loops.
void EmitMovement(program::Builder& builder, program::ValueId source, program::ValueId target,
                  const Movement& movement);

// The result of a movement of a source whose elements are complete bytes: a view if it is one
// piece, else a new value and copies.
program::ValueId Moved(program::Builder& builder, program::ValueId source, const Movement& movement,
                       const TensorType& type);

// Creates output i from input `from`. It is the same value if all elements stay in order, a view if
// the output is one piece of the input, else a new value with copies. An empty output has no steps.
void MoveToOutput(LowerScope& scope, size_t from, const Movement& movement, size_t i);

// The inverse: copies input `from` to its position in `target`. The copy is bytewise if both sides
// are one piece, so that the planner can let the producer write there.
void MoveIntoPart(LowerScope& scope, size_t from, const Movement& movement,
                  program::ValueId target);

// Returns true if the elements of input i are complete bytes; else reports an error that explains
// the limits of such elements.
bool HasByteElements(NodeScope& scope, size_t i);

// Return nullopt on overflow.
std::optional<int64_t> CheckedProduct(int64_t a, int64_t b);
std::optional<int64_t> CheckedSum(int64_t a, int64_t b);

// The values of a constant input of any integer type: one-dimensional with `count` elements, or any
// number if `count` is negative. A scalar counts as one element if `scalar` allows it. Reports an
// error and returns nullopt otherwise.
enum class Scalar { kRefused, kAllowed };
std::optional<Dims> ControlInts(NodeScope& scope, size_t i, std::string_view what,
                                int64_t count = -1, Scalar scalar = Scalar::kRefused);

// As above for exactly one number: a scalar or a tensor of one element.
std::optional<int64_t> ControlInt(NodeScope& scope, size_t i, std::string_view what);

// A negative axis counts from the end; the shape rule has checked the range.
inline size_t WrappedAxis(int64_t axis, int64_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

using weft::ProductOf;  // passes name it in ops

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_MOVEMENT_H_
