// SPDX-License-Identifier: Apache-2.0
// Pooling of f32 maps in any layout, planes or channels last:
//   y[b,c,p] = max or mean of x[b, c, p*stride + tap*dilation - pad] over the taps
// Taps outside the input are never used as values. A mean adds the taps in ascending order of (ky,
// kx), in blocks as described in sum.h, and divides once, so that it is bit-identical on every
// target. A window without a tap inside the input gives -inf (max) or 0 (means). max: if a tap is
// NaN, so is the result. y must not overlap x. The caller owns all memory. Fast if channels are
// adjacent in x and in y, or if pixels are and the stride is 1.
#ifndef WEFT_KERNELS_REDUCE_POOL_H_
#define WEFT_KERNELS_REDUCE_POOL_H_

#include "kernels/element.h"
#include "kernels/matrix/window.h"

namespace weft::kernels {

// kMeanExcludePad divides by the number of taps inside the input, kMeanIncludePad by the number of
// taps inside the padded input, which extends pad_bottom rows and pad_right columns beyond the
// data.
enum class PoolOp : uint8_t { kMax, kMeanExcludePad, kMeanIncludePad };

struct PoolShape : WindowShape {
  uint32_t channels = 0;
  uint32_t pad_bottom = 0;
  uint32_t pad_right = 0;
  PoolOp op = PoolOp::kMax;
};

void Pool(const PoolShape& shape, const float* x, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_POOL_H_
