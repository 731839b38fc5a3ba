// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for compact: byte `at` of y, exact, for a length in 0 .. most.
#ifndef WEFT_KERNELS_REFERENCE_COMPACT_H_
#define WEFT_KERNELS_REFERENCE_COMPACT_H_

#include "kernels/movement/compact.h"

namespace weft::kernels {

inline uint8_t CompactByteReference(const CompactShape& s, const uint8_t* x, size_t length,
                                    size_t at) {
  const size_t row_bytes = size_t{s.inner} * s.element_bytes;
  const size_t row = at / row_bytes;
  const size_t o = row / length, i = row % length;
  return x[(o * s.max + i) * row_bytes + at % row_bytes];
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_COMPACT_H_
