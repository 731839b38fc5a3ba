// SPDX-License-Identifier: Apache-2.0
// The divisor of a window's mean, for pool and pool_q8.
#ifndef WEFT_KERNELS_REDUCE_POOL_DIVISOR_H_
#define WEFT_KERNELS_REDUCE_POOL_DIVISOR_H_

#include "kernels/matrix/rectangles.h"
#include "kernels/reduce/pool.h"

namespace weft::kernels {

// Number of taps of an output inside the input and its padding.
__attribute__((always_inline)) inline uint32_t TapsWithPadding(WindowAxis axis, uint32_t pad_after,
                                                               uint32_t position) {
  axis.input += axis.pad + pad_after;
  axis.pad = 0;
  return axis.Taps(position).count();
}

// Number of taps that a mean is divided by, 0 without taps.
__attribute__((always_inline)) inline size_t DivisorTaps(const PoolShape& shape,
                                                         const WindowAxis& down,
                                                         const WindowAxis& across,
                                                         const Rectangle& at) {
  return shape.op == PoolOp::kMeanIncludePad
             ? size_t{TapsWithPadding(down, shape.pad_bottom, at.rows.first)} *
                   TapsWithPadding(across, shape.pad_right, at.columns.first)
             : size_t{at.ky.count()} * at.kx.count();
}

__attribute__((always_inline)) inline float DivisorOf(size_t taps) {
  return taps == 0 ? 1.0f : static_cast<float>(taps);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_POOL_DIVISOR_H_
