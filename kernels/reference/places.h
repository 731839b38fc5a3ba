// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for places, exact: the flat indices of one batch's non-zero elements.
#ifndef WEFT_KERNELS_REFERENCE_PLACES_H_
#define WEFT_KERNELS_REFERENCE_PLACES_H_

#include <vector>

#include "kernels/movement/places.h"

namespace weft::kernels {

template <typename T>
std::vector<size_t> PlacesReference(const PlacesShape& s, const T* x) {
  size_t count = 1;
  for (uint32_t d = 0; d < s.rank; ++d) count *= s.dims[d];
  std::vector<size_t> places;
  for (size_t i = 0; i < count && places.size() < s.most; ++i) {
    if (x[i] != T{0}) places.push_back(i);
  }
  return places;
}

// The coordinate along axis d of a flat index.
inline uint32_t CoordinateReference(const PlacesShape& s, size_t place, uint32_t d) {
  for (uint32_t axis = s.rank; axis-- > d + 1;) place /= s.dims[axis];
  return static_cast<uint32_t>(place % s.dims[d]);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_PLACES_H_
