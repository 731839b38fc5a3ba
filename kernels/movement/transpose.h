// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_KERNELS_MOVEMENT_TRANSPOSE_H_
#define WEFT_KERNELS_MOVEMENT_TRANSPOSE_H_

#include "kernels/element.h"

namespace weft::kernels {

// Two loops of a copy: `inner` elements, `outer` times, both at least 1. Strides in elements; they
// may lead backwards, and far where there is but one element, so no loop steps behind its last.
struct Plane {
  size_t outer;
  size_t inner;
  ptrdiff_t src_outer_stride;
  ptrdiff_t src_inner_stride;
  ptrdiff_t dst_outer_stride;
  ptrdiff_t dst_inner_stride;
};

// Moves a plane whose source is contiguous along the outer loop and y along the inner one; false,
// and nothing is moved, where that is left to loops: planes of few elements, targets without
// vectors.
bool Transpose(const Plane& plane, uint32_t element_bytes, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_TRANSPOSE_H_
