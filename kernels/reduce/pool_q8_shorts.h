// SPDX-License-Identifier: Apache-2.0
// Pooling of int16 maps, by integers (pool_q8.h): the largest value of the taps inside the input,
// or -32768 without taps; or a mean. With a multiplier, a mean is Rescaled(sum of x, multiplier);
// if its mantissa is 0, a mean is the sum of x over the number of taps inside the input, halves
// away from zero, and 0 without taps. Both are limited to 16 bits.
#ifndef WEFT_KERNELS_REDUCE_POOL_Q8_SHORTS_H_
#define WEFT_KERNELS_REDUCE_POOL_Q8_SHORTS_H_

#include "kernels/reduce/pool_q8.h"

namespace weft::kernels {

// Maximum number of taps of a mean, whose sum then fits in 32 bits.
inline constexpr uint32_t kMaxShortTaps = 0x7FFFFFFF / 0x8000;

// Uses the geometry, op and multiplier of `shape`. y must not overlap x.
void PoolQ8Shorts(const PoolQ8Shape& shape, const int16_t* x, int16_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_POOL_Q8_SHORTS_H_
