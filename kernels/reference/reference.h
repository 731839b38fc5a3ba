// SPDX-License-Identifier: Apache-2.0
// Shared by the scalar reference kernels. These are only for tests: they are written for
// readability, compute offsets by division, and use double precision and the host's mathematical
// functions.
#ifndef WEFT_KERNELS_REFERENCE_REFERENCE_H_
#define WEFT_KERNELS_REFERENCE_REFERENCE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace weft::kernels {

inline size_t CountOf(const uint32_t* dims, uint32_t rank) {
  size_t count = 1;
  for (uint32_t d = 0; d < rank; ++d) count *= dims[d];
  return count;
}

// Offset under `strides` of the element with row-major index `linear`.
template <typename Stride>
ptrdiff_t OffsetOf(size_t linear, uint32_t rank, const uint32_t* dims, const Stride* strides) {
  ptrdiff_t offset = 0;
  for (uint32_t d = rank; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(linear % dims[d]) * static_cast<ptrdiff_t>(strides[d]);
    linear /= dims[d];
  }
  return offset;
}

// Maximum difference between a result and a reference in double.
struct Tolerance {
  double absolute;
  double relative;
};

inline bool IsClose(double is, double must, Tolerance tolerance) {
  if (std::isnan(must)) return std::isnan(is);
  if (std::isinf(must)) return is == must;
  return std::fabs(is - must) <= tolerance.absolute + tolerance.relative * std::fabs(must);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_REFERENCE_H_
