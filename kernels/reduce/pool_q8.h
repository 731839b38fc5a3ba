// SPDX-License-Identifier: Apache-2.0
// Pooling of int8 maps in any layout, planes or channels last. A maximum is the largest code of the
// taps inside the input, or -128 without taps. A mean is the code (code_range.h) of
//
//   v = float(sum over the taps of (x - x_zero)) * scale / taps
//
// evaluated from left to right, with each float operation rounded separately, so that y is
// bit-identical on every target. The taps are counted as in pool.h; without taps v is 0. y must not
// overlap x.
//
// A mean by integers (requantise.h) is the code of Rescaled(sum of (x - x_zero), multiplier), where
// the multiplier contains the division. If its mantissa is 0, a mean is the sum of x over the
// number of taps inside the input, rounded with halves away from zero and limited to the range; 0
// without taps.
#ifndef WEFT_KERNELS_REDUCE_POOL_Q8_H_
#define WEFT_KERNELS_REDUCE_POOL_Q8_H_

#include "kernels/reduce/pool.h"
#include "kernels/simd/requantise.h"

namespace weft::kernels {

// A mean has at most kMaxDifferences taps.
struct PoolQ8Shape : PoolShape {
  float scale = 1.0f;
  CodeRange codes;
  int8_t x_zero = 0;
  Multiplier multiplier;  // of codes by integers
};

void PoolQ8(const PoolQ8Shape& shape, const int8_t* x, int8_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_POOL_Q8_H_
