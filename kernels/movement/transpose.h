// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_KERNELS_MOVEMENT_TRANSPOSE_H_
#define WEFT_KERNELS_MOVEMENT_TRANSPOSE_H_

#include "kernels/element.h"

namespace weft::kernels {

// Two nested loops of a copy: `inner` elements, `outer` times, both at least 1. Strides are in
// elements; they may be negative, and may have any value along a loop of one element, so no loop
// computes an address after its last element.
struct Plane {
  size_t outer;
  size_t inner;
  ptrdiff_t src_outer_stride;
  ptrdiff_t src_inner_stride;
  ptrdiff_t dst_outer_stride;
  ptrdiff_t dst_inner_stride;
};

// Copies a plane whose source is contiguous along the outer loop and y along the inner one. Returns
// false, without copying, if plain loops are better: for planes of few elements, and on targets
// without vectors.
bool Transpose(const Plane& plane, uint32_t element_bytes, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_TRANSPOSE_H_
