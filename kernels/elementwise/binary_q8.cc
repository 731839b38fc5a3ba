// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8.h"

#include "kernels/strided_iterator.h"

namespace weft::kernels {

__attribute__((weak)) void BinaryQ8Integers(const BinaryQ8Shape& shape, const int8_t* a,
                                            const int8_t* b, int8_t* y);
__attribute__((weak)) void BinaryQ8Quotients(const BinaryQ8Shape& shape, const int8_t* a,
                                             const int8_t* b, int8_t* y);
__attribute__((weak)) void BinaryQ8Floats(const BinaryQ8Shape& shape, const int8_t* a,
                                          const int8_t* b, int8_t* y);

void BinaryQ8(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  if (IsEmpty(shape.dims, shape.rank)) return;
  if (!shape.codes.by_integers) {
    if (&BinaryQ8Floats != nullptr) BinaryQ8Floats(shape, a, b, y);
  } else if (shape.op == BinaryOp::kDivide) {
    if (&BinaryQ8Quotients != nullptr) BinaryQ8Quotients(shape, a, b, y);
  } else if (&BinaryQ8Integers != nullptr) {
    BinaryQ8Integers(shape, a, b, y);
  }
}

}  // namespace weft::kernels
