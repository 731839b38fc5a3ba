// SPDX-License-Identifier: Apache-2.0
// Pooling of levels that lie in any order, planes or channels last. A maximum is the greatest level
// of the taps inside the input, -128 of none. A mean is the level of
//
//   v = float(sum over the taps of (x - x_zero)) * scale / taps
//
// from left to right, every operation on floats rounded by itself, so that y is bit-identical on
// every target; the taps are counted as pool.h says, none makes v 0. y must not overlap x.
#ifndef WEFT_KERNELS_REDUCE_POOL_Q8_H_
#define WEFT_KERNELS_REDUCE_POOL_Q8_H_

#include "kernels/elementwise/levels.h"
#include "kernels/reduce/pool.h"

namespace weft::kernels {

// A mean has at most kMostDifferences taps.
struct PoolQ8Shape : PoolShape {
  float scale = 1.0f;
  Levels levels;
  int8_t x_zero = 0;
};

void PoolQ8(const PoolQ8Shape& shape, const int8_t* x, int8_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_POOL_Q8_H_
