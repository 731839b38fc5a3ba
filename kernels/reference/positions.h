// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for places, exact: the flat indices of one batch's non-zero elements.
#ifndef WEFT_KERNELS_REFERENCE_POSITIONS_H_
#define WEFT_KERNELS_REFERENCE_POSITIONS_H_

#include <vector>

#include "kernels/movement/positions.h"

namespace weft::kernels {

template <typename T>
std::vector<size_t> PositionsReference(const PositionsShape& s, const T* x) {
  size_t count = 1;
  for (uint32_t d = 0; d < s.rank; ++d) count *= s.dims[d];
  std::vector<size_t> positions;
  for (size_t i = 0; i < count && positions.size() < s.max; ++i) {
    if (x[i] != T{0}) positions.push_back(i);
  }
  return positions;
}

// The coordinate along axis d of a flat index.
inline uint32_t CoordinateReference(const PositionsShape& s, size_t position, uint32_t d) {
  for (uint32_t axis = s.rank; axis-- > d + 1;) position /= s.dims[axis];
  return static_cast<uint32_t>(position % s.dims[d]);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_POSITIONS_H_
