// SPDX-License-Identifier: Apache-2.0
// What the scalar twins share. Twins are for tests alone: they are written to be read,
// walk index spaces the slow way and use the host's mathematics in double where kernels may not.
#ifndef WEFT_KERNELS_REFERENCE_TWIN_H_
#define WEFT_KERNELS_REFERENCE_TWIN_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace weft::kernels {

inline size_t CountOf(const uint32_t* dims, uint32_t rank) {
  size_t count = 1;
  for (uint32_t d = 0; d < rank; ++d) count *= dims[d];
  return count;
}

// Where the element with the row-major index `linear` lies under `strides`.
template <typename Stride>
ptrdiff_t OffsetOf(size_t linear, uint32_t rank, const uint32_t* dims, const Stride* strides) {
  ptrdiff_t offset = 0;
  for (uint32_t d = rank; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(linear % dims[d]) * static_cast<ptrdiff_t>(strides[d]);
    linear /= dims[d];
  }
  return offset;
}

// How far a result may be from a twin in double.
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

#endif  // WEFT_KERNELS_REFERENCE_TWIN_H_
