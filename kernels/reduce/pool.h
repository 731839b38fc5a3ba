// SPDX-License-Identifier: Apache-2.0
// Pooling of maps of f32 that lie in any order, planes or channels last:
//   y[b,c,p] = max or mean of x[b, c, p*stride + tap*dilation - pad] over the taps
// Taps outside the input never count as values. A mean is one chain of additions in ascending order
// of (ky, kx), cut into blocks as sum.h says, then one division, so that it is bit-identical on
// every target.
// A window without a single tap inside the input yields -inf (max) or 0 (means). max: NaN wins.
// y must not overlap x. The caller owns all memory. Fast where channels lie beside each other in x
// and in y, or pixels do and the stride is 1.
#ifndef WEFT_KERNELS_REDUCE_POOL_H_
#define WEFT_KERNELS_REDUCE_POOL_H_

#include "kernels/element.h"
#include "kernels/matrix/window.h"

namespace weft::kernels {

// kMeanExcludePad divides by the taps inside the input; kMeanIncludePad by the taps inside the
// padded input, which reaches pad_bottom rows and pad_right columns beyond the data.
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
