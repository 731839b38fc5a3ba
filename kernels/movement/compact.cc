// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/compact.h"

#include <cstring>

namespace weft::kernels {

void Compact(const CompactShape& shape, const void* x, int32_t length, void* y) {
  const size_t row_bytes = size_t{shape.inner} * shape.element_bytes;
  size_t rows = length < 0 ? 0 : static_cast<size_t>(length);
  if (rows > shape.max) rows = shape.max;
  const unsigned char* from = static_cast<const unsigned char*>(x);
  unsigned char* to = static_cast<unsigned char*>(y);
  if (shape.outer == 0 || shape.max == 0 || row_bytes == 0) return;  // x and y need not exist
  // In ascending order, so that in place no block is overwritten before it is moved.
  for (size_t o = 0; o < shape.outer; ++o) {
    std::memmove(to, from, rows * row_bytes);
    to += rows * row_bytes;
    from += shape.max * row_bytes;
  }
  std::memset(to, 0, shape.outer * (shape.max - rows) * row_bytes);
}

}  // namespace weft::kernels
