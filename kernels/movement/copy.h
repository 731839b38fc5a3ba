// SPDX-License-Identifier: Apache-2.0
// General strided copy: y[i . dst_strides + dst_offset] = x[i . src_strides + src_offset] for every
// index i over dims. Elements are 1, 2, 4 or 8 bytes and are copied bit by bit. The last dimension
// is the innermost loop, so it should be contiguous, if possible on both sides. y must not overlap
// x, and no element of y may be written twice. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_COPY_H_
#define WEFT_KERNELS_MOVEMENT_COPY_H_

#include "kernels/element.h"

namespace weft::kernels {

// Offsets and strides are in elements. Strides may be negative, those of src also 0. Rank 0 is one
// element.
struct CopyShape {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  int32_t src_strides[kMaxRank] = {};
  int32_t dst_strides[kMaxRank] = {};
  uint32_t src_offset = 0;
  uint32_t dst_offset = 0;
  uint32_t element_bytes = 0;
};

void Copy(const CopyShape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_COPY_H_
