// SPDX-License-Identifier: Apache-2.0
// What is known of integers that the run computes, from the operations that compute them: bounds,
// and sums of one value and a constant. Shared by the families that need to prove a place inside an
// axis.
#ifndef WEFT_CONVERTER_OPS_BOUNDS_H_
#define WEFT_CONVERTER_OPS_BOUNDS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "converter/ir/graph.h"

namespace weft::ops {

// Both bounds included; without a bound as far as 64 bits go.
struct IntegerBounds {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  bool operator==(const IntegerBounds&) const = default;
};

// One element of a tensor, by its place in the order of the elements.
struct Element {
  ir::Source source;
  size_t at = 0;
  bool operator==(const Element&) const = default;
};

// Of all elements of a tensor of integers or booleans; of one.
IntegerBounds BoundsOf(const ir::Source& source);
IntegerBounds BoundsOf(const Element& element);

// The number that it is whatever the inputs: that of a constant, also where it is joined with
// others.
std::optional<int64_t> KnownValue(const Element& element);

// A number as one element that is computed, and a constant.
struct OffsetValue {
  Element base;
  int64_t offset = 0;
};

// A sum that wraps around is not looked for: the caller knows the value's bounds.
OffsetValue OffsetValueOf(Element element);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_BOUNDS_H_
