// SPDX-License-Identifier: Apache-2.0
// What a Slice or StridedSlice takes of each axis, and a SliceScatter writes, with bounds clamped
// and masks applied. Read once by the shape rule, again by the lowering and by those that must know
// which places are left.
#ifndef WEFT_CONVERTER_OPS_SLICING_H_
#define WEFT_CONVERTER_OPS_SLICING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/bounds.h"
#include "converter/ops/movement.h"

namespace weft::ops {

// Positions that a bound of a slice is clamped to, inclusive, after a negative bound was counted
// from the end. A bound that is absent is begin.low and end.high for a positive step, begin.high
// and end.low for a negative one. begin.high is -1 for a negative step along an axis without
// elements, and then wins over begin.low: clamp to `low` first.
template <typename Number>
struct SliceLimits {
  struct Range {
    Number low, high;
  };
  Range begin, end;
};

// The limits along an axis of `length` elements, for conversion and for steps alike. A negative
// step clamps a begin before the axis to its first element, as OpenVINO and ONNX Runtime do; NumPy
// takes no element then.
template <typename Number>
SliceLimits<Number> LimitsOf(bool forward, Number zero, Number minus_one, Number length,
                             Number last) {
  if (forward) return {{zero, length}, {zero, length}};
  return {{zero, last}, {minus_one, last}};
}

// Elements of an axis between bounds, which are clamped to the limits above.
Run RunBetween(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step, int64_t dim);

// Where a range begins or ends: a number, one that the run computes, or neither: the natural end.
struct Bound {
  std::optional<int64_t> known;
  std::optional<Element> computed;
  size_t input = 0;  // that holds the element
};

// What is taken of an axis whose bounds or whose length the run computes.
struct ComputedRange {
  size_t axis = 0;  // of the input
  Bound begin, end;
  int64_t step = 1;
  bool shrinks = false;  // one place, without its axis
};

struct Cut {
  std::vector<Runs> runs;       // one run per axis of the input; the whole of one in `computed`
  Dims kept;                    // places per input axis
  std::vector<int64_t> places;  // the output's axis per input axis; -1 where it shrinks away
  Dims output;                  // kept without the axes that shrink, with the new ones
  std::vector<ComputedRange> computed;
};

// Of the scope's node, which is one of the three; nullopt after a fault. Nothing of SliceScatter is
// computed.
std::optional<Cut> CutOf(NodeScope& scope);

// The number of places that a computed range takes: always so many, or at most.
struct PlaceCount {
  int64_t most = 0;
  bool exact = true;
};
PlaceCount CountOfRange(const NodeScope& scope, const ComputedRange& range);

// x, of `dims`, with what the range takes of its axis. Where their number is not exact, `length`
// becomes the value (i32) that holds it.
plan::ValueId EmitRange(LowerScope& scope, const ComputedRange& range, plan::ValueId x,
                        const Dims& dims, plan::ValueId* length);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SLICING_H_
