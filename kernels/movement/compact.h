// SPDX-License-Identifier: Apache-2.0
// Moves the used rows of every block to the front, without gaps: y[o,i,:] = x[o,i,:] for i <
// length, where x is [outer, most, inner] and y [outer, length, inner]. The length is clamped to
// [0, most]. The memory after the last row of y is set to zero. y may be x, and must not overlap it
// otherwise. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_COMPACT_H_
#define WEFT_KERNELS_MOVEMENT_COMPACT_H_

#include "kernels/element.h"

namespace weft::kernels {

struct CompactShape {
  uint32_t outer = 0;
  uint32_t max = 0;
  uint32_t inner = 0;
  uint32_t element_bytes = 0;
};

void Compact(const CompactShape& shape, const void* x, int32_t length, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_COMPACT_H_
