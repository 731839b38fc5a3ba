// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of maps with any strides, planar or channels-last:
//   y[b,c,p] = act(bias[c] + sum_{ky,kx} x[b,c/multiplier,p*stride+tap*dilation-pad] * w[c,ky,kx])
// Each output is one chain of fused multiply-adds in ascending order of (ky, kx) that begins at the
// bias (0 without); taps outside the input are skipped. y must not overlap x. The caller owns all
// memory. Fast if channels are contiguous in x and in y, and for planes with stride 1.
#ifndef WEFT_KERNELS_MATRIX_DEPTHWISE_H_
#define WEFT_KERNELS_MATRIX_DEPTHWISE_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"
#include "kernels/matrix/weights.h"
#include "kernels/matrix/window.h"

namespace weft::kernels {

// `channels` counts the channels of y; x has channels / multiplier of them.
struct DepthwiseShape : WindowShape {
  uint32_t channels = 0;
  uint32_t multiplier = 0;
  Activation activation;
};

// `weights` as PackDepthwise lays them out. `bias` may be null, else it has `channels` floats.
void Depthwise(const DepthwiseShape& shape, const float* x, const float* weights, const float* bias,
               float* y);

// The same for another weight type, if the program links it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                              \
  void Depthwise(const DepthwiseShape& shape, const float* x, const Name* weights, \
                 const float* bias, float* y);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_H_
