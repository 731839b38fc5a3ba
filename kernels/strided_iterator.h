// SPDX-License-Identifier: Apache-2.0
// Iterates over an index space of any rank and keeps one element offset per operand, using
// additions only. Internal to the kernels; the caller owns the dims and strides, which must outlive
// the Walk.
#ifndef WEFT_KERNELS_STRIDED_ITERATOR_H_
#define WEFT_KERNELS_STRIDED_ITERATOR_H_

#include "kernels/element.h"

namespace weft::kernels {

// Returns true if the index space has no element.
inline bool IsEmpty(const uint32_t* dims, uint32_t rank) {
  for (uint32_t d = 0; d < rank; ++d) {
    if (dims[d] == 0) return true;
  }
  return false;
}

// Stride is uint32_t or int32_t. The last dimension varies fastest. Use on a non-empty space:
//   StridedIterator iterator(rank, dims, {strides ...});
//   do { ... } while (iterator.Next());
template <typename Stride, size_t kOperands>
class StridedIterator {
 public:
  StridedIterator(uint32_t rank, const uint32_t* dims, const Stride* const (&strides)[kOperands])
      : rank_(rank), dims_(dims) {
    for (size_t o = 0; o < kOperands; ++o) strides_[o] = strides[o];
  }

  // In elements of the operand.
  ptrdiff_t offset(size_t operand) const { return offsets_[operand]; }

  // Advances to the next element. Returns false after the last one.
  bool Next() {
    for (uint32_t d = rank_; d-- > 0;) {
      const bool is_inside = ++indices_[d] < dims_[d];
      const ptrdiff_t steps = is_inside ? 1 : 1 - static_cast<ptrdiff_t>(dims_[d]);
      for (size_t o = 0; o < kOperands; ++o) {
        offsets_[o] += steps * static_cast<ptrdiff_t>(strides_[o][d]);
      }
      if (is_inside) return true;
      indices_[d] = 0;
    }
    return false;
  }

 private:
  uint32_t rank_;
  const uint32_t* dims_;
  const Stride* strides_[kOperands];
  ptrdiff_t offsets_[kOperands] = {};
  uint32_t indices_[kMaxRank] = {};
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_STRIDED_ITERATOR_H_
