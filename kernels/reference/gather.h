// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for gather: byte `at` of y, exact.
#ifndef WEFT_KERNELS_REFERENCE_GATHER_H_
#define WEFT_KERNELS_REFERENCE_GATHER_H_

#include "kernels/movement/gather.h"

namespace weft::kernels {

template <typename Index>
uint8_t GatherByteReference(const GatherShape& s, const uint8_t* x, const Index* index, size_t at) {
  const size_t row_bytes = size_t{s.inner} * s.element_bytes;
  const size_t i = at / row_bytes % s.indices;
  const size_t o = at / row_bytes / s.indices % s.outer;
  const size_t b = at / row_bytes / s.indices / s.outer;
  int64_t row = index[b * s.indices + i];
  if (row < 0) row += s.axis;
  if (row < 0 || row >= static_cast<int64_t>(s.axis)) return 0;
  return x[((b * s.outer + o) * s.axis + static_cast<size_t>(row)) * row_bytes + at % row_bytes];
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_GATHER_H_
