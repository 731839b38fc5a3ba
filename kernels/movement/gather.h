// SPDX-License-Identifier: Apache-2.0
// y[b,o,i,:] = x[b,o,index[b,i],:]. A negative index counts from the end of the axis. If the index
// is still out of range, y is zero, so that no index can read outside x. Elements are 1, 2, 4 or 8
// bytes and are copied bit by bit. y must not overlap x or index. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_GATHER_H_
#define WEFT_KERNELS_MOVEMENT_GATHER_H_

#include "kernels/element.h"

namespace weft::kernels {

// x is [batch, outer, axis, inner], index [batch, indices], y [batch, outer, indices, inner].
struct GatherShape {
  uint32_t batch = 0;
  uint32_t outer = 0;
  uint32_t axis = 0;
  uint32_t inner = 0;
  uint32_t indices = 0;
  uint32_t element_bytes = 0;
  Element index_type = Element::kI32;  // kI32 or kI64
};

void Gather(const GatherShape& shape, const void* x, const void* index, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_GATHER_H_
