// SPDX-License-Identifier: Apache-2.0
// Moves the rows of every block together when fewer than `most` are in use: y[o,i,:] = x[o,i,:] for
// i < length, where x is [outer, most, inner] and y [outer, length, inner]. A length beyond 0 ..
// most is taken as the nearer of the two. What lies behind the last row of y is zero. y may be x,
// and must not overlap it otherwise. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_COMPACT_H_
#define WEFT_KERNELS_MOVEMENT_COMPACT_H_

#include "kernels/element.h"

namespace weft::kernels {

struct CompactShape {
  uint32_t outer = 0;
  uint32_t most = 0;
  uint32_t inner = 0;
  uint32_t element_bytes = 0;
};

void Compact(const CompactShape& shape, const void* x, int32_t length, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_COMPACT_H_
