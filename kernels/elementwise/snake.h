// SPDX-License-Identifier: Apache-2.0
// y[o,c,i] = x[o,c,i] + heights[c] * sin(slopes[c] * x[o,c,i])^2: a periodic activation with
// parameters per channel. The product with the slope is rounded, then the sine (math-inl.h: 1e-7
// absolute while slope * x is within 1e5), then its square; a fused multiply-add multiplies by the
// height and adds x. A NaN stays NaN, an infinite x becomes NaN. y may be x; the caller rejects any
// other overlap. The caller owns all memory.
#ifndef WEFT_KERNELS_ELEMENTWISE_SNAKE_H_
#define WEFT_KERNELS_ELEMENTWISE_SNAKE_H_

#include "kernels/element.h"

namespace weft::kernels {

struct SnakeShape {
  uint32_t outer = 0;
  uint32_t channels = 0;
  uint32_t inner = 0;
};

void Snake(const SnakeShape& shape, const float* x, const float* slopes, const float* heights,
           float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_SNAKE_H_
