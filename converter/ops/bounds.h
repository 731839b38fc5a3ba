// SPDX-License-Identifier: Apache-2.0
// What is known of integers that the run computes, from the operations that compute them: bounds,
// and sums of one value and a constant. Shared by the families that need to prove a place inside an
// axis.
#ifndef WEFT_CONVERTER_OPS_BOUNDS_H_
#define WEFT_CONVERTER_OPS_BOUNDS_H_

#include <cstdint>
#include <limits>

#include "converter/ir/graph.h"

namespace weft::ops {

// Both bounds included; without a bound as far as 64 bits go.
struct IntegerBounds {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  bool operator==(const IntegerBounds&) const = default;
};

// Of all elements of a tensor of integers or booleans.
IntegerBounds BoundsOf(const ir::Source& source);

// A number as one element that is computed, and a constant.
struct OffsetValue {
  ir::Source base;
  int64_t offset = 0;
};

// Of a tensor of one integer, under any dims. A sum that wraps around is not looked for: the caller
// knows the value's bounds.
OffsetValue OffsetValueOf(ir::Source source);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_BOUNDS_H_
