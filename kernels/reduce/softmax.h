// SPDX-License-Identifier: Apache-2.0
// y = exp(x - max) / sum exp(x - max) over the middle axis of [outer, axis, inner], or its
// logarithm (x - max) - log(sum). The order of the sum is fixed, the same on every target: with
// inner 1 element i goes to one of 16 partials, i % 16, joined as in reduce.h; else one chain over
// the axis; long ones are cut into blocks as sum.h says. A NaN makes its whole row NaN. y may be x
// itself, any other overlap is refused by the caller. The caller owns all memory.
// Causal: blocks of `axis` rows, row i of a block is its first i + 1 elements; those behind are not
// read, and 0 in y. The same bits as with -inf there.
#ifndef WEFT_KERNELS_REDUCE_SOFTMAX_H_
#define WEFT_KERNELS_REDUCE_SOFTMAX_H_

#include "kernels/element.h"

namespace weft::kernels {

struct SoftmaxShape {
  uint32_t outer = 0;
  uint32_t axis = 0;
  uint32_t inner = 0;
  uint32_t logarithm = 0;  // 1: the logarithm of it
  uint32_t causal = 0;     // 1, with inner 1 (or 0: no elements) and no logarithm
};

void Softmax(const SoftmaxShape& shape, const float* x, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_SOFTMAX_H_
