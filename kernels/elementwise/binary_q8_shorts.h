// SPDX-License-Identifier: Apache-2.0
// binary_q8.h for int16 values, which have no zero points: with the multipliers a, b, y,
//
//   add, subtract        Rescaled(Rescaled(a * 2^15, a) +- Rescaled(b * 2^15, b), y)
//   squared_difference   Rescaled((Rescaled(a, a) - Rescaled(b, b))^2, y)
//   multiply             Rescaled(a * b, y)
//   prelu                Rescaled(a, a), or Rescaled(a * b, y) for a negative a
//
// limited to 16 bits. Sums and products wrap around.
#ifndef WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_SHORTS_H_
#define WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_SHORTS_H_

#include "kernels/elementwise/binary_q8.h"

namespace weft::kernels {

// Bits of fraction of the operands of a sum, and of a squared difference.
inline constexpr int kShortSumFraction = 15, kShortSquareFraction = 0;

// Uses the dims, strides, op and multipliers of `shape`.
void BinaryQ8Shorts(const BinaryQ8Shape& shape, const int16_t* a, const int16_t* b, int16_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_SHORTS_H_
