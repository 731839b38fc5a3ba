// SPDX-License-Identifier: Apache-2.0
// The elements that Slice and StridedSlice read from each axis, or SliceScatter writes, with bounds
// clamped and masks applied. The shape rule, the lowering and passes that need the remaining
// positions all read the node with CutOf.
#ifndef WEFT_CONVERTER_OPS_CORE_SLICING_H_
#define WEFT_CONVERTER_OPS_CORE_SLICING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/support/bounds.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {

// Inclusive limits to which a bound of a slice is clamped, after a negative bound was counted from
// the end. An absent bound is begin.low and end.high for a positive step, begin.high and end.low
// for a negative one. For a negative step along an empty axis begin.high is -1 and wins over
// begin.low: clamp to `low` first.
template <typename Number>
struct SliceLimits {
  struct Range {
    Number low, high;
  };
  Range begin, end;
};

// The limits along an axis of `length` elements, for conversion and for steps. With a negative
// step, a begin before the axis is clamped to its first element, as in OpenVINO and ONNX Runtime;
// NumPy selects no element in that case.
template <typename Number>
SliceLimits<Number> LimitsOf(bool forward, Number zero, Number minus_one, Number length,
                             Number last) {
  if (forward) return {{zero, length}, {zero, length}};
  return {{zero, last}, {minus_one, last}};
}

// The elements of an axis of extent `dim` between bounds, which are clamped to the limits above.
Run RunBetween(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step, int64_t dim);

// A bound of a range: a known number, an element that the run computes, or neither (the natural
// end).
struct Bound {
  std::optional<int64_t> known;
  std::optional<Element> computed;
  size_t input = 0;  // the input that holds the element
};

// The part of an axis to read where the run computes its bounds or the axis has a run-time length.
struct ComputedRange {
  size_t axis = 0;  // of the input
  Bound begin, end;
  int64_t step = 1;
  bool shrinks = false;  // one position; the axis is removed
};

struct Cut {
  std::vector<Runs> runs;          // one run per input axis; the full axis if it is in `computed`
  Dims kept;                       // extent per input axis
  std::vector<int64_t> positions;  // output axis per input axis; -1 if it is removed
  Dims output;                     // kept, without removed axes and with new ones
  std::vector<ComputedRange> computed;
};

// The cut of the scope's node, which must be one of the three. Returns nullopt after an error.
// SliceScatter has no computed ranges.
std::optional<Cut> CutOf(NodeScope& scope);

// Number of positions in a computed range: exactly `max`, or at most `max`.
struct RangeCount {
  int64_t max = 0;
  bool exact = true;
};
RangeCount CountOfRange(const NodeScope& scope, const ComputedRange& range);

// Returns x, of `dims`, restricted to the range. If the count is not exact, sets *length to the
// value (i32) that holds it.
program::ValueId EmitRange(LowerScope& scope, const ComputedRange& range, program::ValueId x,
                           const Dims& dims, program::ValueId* length);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_SLICING_H_
