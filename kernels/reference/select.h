// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for select: exact, byte by byte.
#ifndef WEFT_KERNELS_REFERENCE_SELECT_H_
#define WEFT_KERNELS_REFERENCE_SELECT_H_

#include <cstring>

#include "kernels/elementwise/select.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline void SelectReference(const SelectShape& s, const uint8_t* condition, const uint8_t* a,
                            const uint8_t* b, uint8_t* y) {
  const size_t bytes = s.element_bytes;
  for (size_t i = 0; i < CountOf(s.dims, s.rank); ++i) {
    const ptrdiff_t at_a = OffsetOf(i, s.rank, s.dims, s.a_strides);
    const ptrdiff_t at_b = OffsetOf(i, s.rank, s.dims, s.b_strides);
    const bool is_set = condition[OffsetOf(i, s.rank, s.dims, s.condition_strides)] != 0;
    const uint8_t* from = is_set ? a + at_a * static_cast<ptrdiff_t>(bytes)
                                 : b + at_b * static_cast<ptrdiff_t>(bytes);
    std::memcpy(y + i * bytes, from, bytes);
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SELECT_H_
