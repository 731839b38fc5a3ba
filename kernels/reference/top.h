// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for top, exact: the indices of the k best elements of one line, in result
// order.
#ifndef WEFT_KERNELS_REFERENCE_TOP_H_
#define WEFT_KERNELS_REFERENCE_TOP_H_

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/reduce/top.h"

namespace weft::kernels {

template <typename T>
std::vector<size_t> TopReference(const TopShape& s, const T* x) {
  std::vector<size_t> positions(s.axis);
  std::iota(positions.begin(), positions.end(), size_t{0});
  std::sort(positions.begin(), positions.end(), [&](size_t a, size_t b) {
    const T p = x[a * s.inner], q = x[b * s.inner];
    const bool is_first = p == p && (q != q || (s.min != 0 ? p < q : p > q));
    const bool is_last = q == q && (p != p || (s.min != 0 ? q < p : q > p));
    return is_first || (!is_last && a < b);  // equal elements in the order of the line
  });
  positions.resize(s.k);
  if (s.by_index != 0) std::sort(positions.begin(), positions.end());
  return positions;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_TOP_H_
