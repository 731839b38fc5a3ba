// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for copy: exact, element by element.
#ifndef WEFT_KERNELS_REFERENCE_COPY_H_
#define WEFT_KERNELS_REFERENCE_COPY_H_

#include <cstring>

#include "kernels/movement/copy.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline void CopyReference(const CopyShape& s, const uint8_t* x, uint8_t* y) {
  const ptrdiff_t bytes = s.element_bytes;
  for (size_t i = 0; i < CountOf(s.dims, s.rank); ++i) {
    const ptrdiff_t from = s.src_offset + OffsetOf(i, s.rank, s.dims, s.src_strides);
    const ptrdiff_t to = s.dst_offset + OffsetOf(i, s.rank, s.dims, s.dst_strides);
    std::memcpy(y + to * bytes, x + from * bytes, s.element_bytes);
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_COPY_H_
