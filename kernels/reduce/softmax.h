// SPDX-License-Identifier: Apache-2.0
// y = exp(x - max) / sum exp(x - max) over the middle axis of [outer, axis, inner], or its
// logarithm (x - max) - log(sum). The order of the sum is the same on every target. With inner 1,
// element i is added to partial i % 16, and the partials are joined as in reduce.h; otherwise the
// sum is sequential over the axis. Long sums are split into blocks as described in sum.h. If an
// element is NaN, the complete row becomes NaN. y may be x; the caller rejects any other overlap.
// The caller owns all memory.
//
// Causal: in blocks of `axis` rows, row i of a block uses only its first i + 1 elements. Later
// elements are not read, and are 0 in y. Bit-identical to a mask with -inf there.
#ifndef WEFT_KERNELS_REDUCE_SOFTMAX_H_
#define WEFT_KERNELS_REDUCE_SOFTMAX_H_

#include "kernels/element.h"

namespace weft::kernels {

struct SoftmaxShape {
  uint32_t outer = 0;
  uint32_t axis = 0;
  uint32_t inner = 0;
  uint32_t logarithm = 0;  // 1: computes the logarithm
  uint32_t causal = 0;     // 1, with inner 1 (or 0: no elements) and no logarithm
};

void Softmax(const SoftmaxShape& shape, const float* x, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_SOFTMAX_H_
