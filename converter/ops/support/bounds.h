// SPDX-License-Identifier: Apache-2.0
// Bounds of integers that are computed at run time, derived from the operations that compute them,
// and sums of one value and a constant. Shared by the families that must prove an index inside an
// axis.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_BOUNDS_H_
#define WEFT_CONVERTER_OPS_SUPPORT_BOUNDS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "converter/ir/graph.h"

namespace weft::ops {

// Inclusive bounds; the default is the range of int64.
struct IntegerBounds {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  bool operator==(const IntegerBounds&) const = default;
};

// One element of a tensor, by its index in row-major order.
struct Element {
  ir::Source source;
  size_t at = 0;
  bool operator==(const Element&) const = default;
};

// Bounds of all elements of an integer or boolean tensor, or of one element.
IntegerBounds BoundsOf(const ir::Source& source);
IntegerBounds BoundsOf(const Element& element);

// The value of an element that does not depend on the inputs: that of a constant, also through a
// concatenation. nullopt if it is unknown.
std::optional<int64_t> KnownValue(const Element& element);

// A number as the sum of one computed element and a constant.
struct OffsetValue {
  Element base;
  int64_t offset = 0;
};

// Decomposes `element`. Wrap-around of the sum is not checked: the caller knows the bounds of the
// value.
OffsetValue OffsetValueOf(Element element);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_BOUNDS_H_
