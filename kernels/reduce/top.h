// SPDX-License-Identifier: Apache-2.0
// The k best elements of each line along the middle axis of [outer, axis, inner], with their
// indices along it. Best means largest or smallest; of equal elements (0 and -0 are equal) the
// first one is better, and a NaN is worse than every number. The results are sorted by value, best
// first, or by index. values and indices are [outer, k, inner]. f32, i32, i64, i8 and u8; indices
// are i32 or i64. 1 <= k <= axis. A line needs at most axis * log2(k) comparisons and no memory
// except its results. No operand overlaps another. The caller owns all memory.
#ifndef WEFT_KERNELS_REDUCE_TOP_H_
#define WEFT_KERNELS_REDUCE_TOP_H_

#include "kernels/element.h"

namespace weft::kernels {

struct TopShape {
  uint32_t outer = 0;
  uint32_t axis = 0;
  uint32_t inner = 0;
  uint32_t k = 0;
  uint32_t min = 0;       // 1: the smallest elements
  uint32_t by_index = 0;  // 1: sorted by index
  Element type = Element::kF32;
  Element index_type = Element::kI32;
};

// Returns true if Top supports elements of `type`; it writes nothing for other types.
bool TopKnows(Element type);
void Top(const TopShape& shape, const void* x, void* values, void* indices);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_TOP_H_
