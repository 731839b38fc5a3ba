// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/gather.h"

#include <cstring>

namespace weft::kernels {
namespace {

// Returns the position along the axis to read, or -1 if the index is out of range.
int64_t ReadIndex(const void* index, size_t at, Element type, uint32_t axis) {
  int64_t value = type == Element::kI64 ? static_cast<const int64_t*>(index)[at]
                                        : static_cast<const int32_t*>(index)[at];
  if (value < 0) value += axis;
  return value >= 0 && value < int64_t{axis} ? value : -1;
}

// Pieces of one word, as in permuted scores: a memcpy call for each would cost more than the move.
void GatherWords(const GatherShape& shape, const Raw<uint32_t>* x, const void* index, size_t first,
                 Raw<uint32_t>* y) {
  for (size_t i = 0; i < shape.indices; ++i) {
    const int64_t row = ReadIndex(index, first + i, shape.index_type, shape.axis);
    y[i] = row < 0 ? Raw<uint32_t>{} : x[row];
  }
}

}  // namespace

void Gather(const GatherShape& shape, const void* x, const void* index, void* y) {
  const size_t row_bytes = size_t{shape.inner} * shape.element_bytes;
  const unsigned char* from = static_cast<const unsigned char*>(x);
  unsigned char* to = static_cast<unsigned char*>(y);
  if (row_bytes == 0 || shape.indices == 0) return;  // x and y need not exist
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t o = 0; o < shape.outer; ++o) {
      if (shape.element_bytes == sizeof(uint32_t) && shape.inner == 1) {
        GatherWords(shape, reinterpret_cast<const Raw<uint32_t>*>(from), index, b * shape.indices,
                    reinterpret_cast<Raw<uint32_t>*>(to));
        from += shape.axis * row_bytes;
        to += shape.indices * row_bytes;
        continue;
      }
      for (size_t i = 0; i < shape.indices; ++i) {
        const int64_t row = ReadIndex(index, b * shape.indices + i, shape.index_type, shape.axis);
        if (row < 0) {
          std::memset(to, 0, row_bytes);
        } else {
          std::memcpy(to, from + static_cast<size_t>(row) * row_bytes, row_bytes);
        }
        to += row_bytes;
      }
      from += shape.axis * row_bytes;
    }
  }
}

}  // namespace weft::kernels
