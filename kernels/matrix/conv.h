// SPDX-License-Identifier: Apache-2.0
// Convolution over packed weights:
//   y[b,g,o,p] = act(bias[g,o] + sum_{ky,kx,c} x[b,g,c,p*stride+tap*dilation-pad] * w[g,o,c,ky,kx])
// Each output is one chain of fused multiply-adds in ascending order of (ky, kx, c) that begins at
// the bias (0 without), for any strides of the data. Taps outside the input are skipped, not
// multiplied by zero. y must not overlap x. Uses 200 bytes of stack with one lane, 8 KB in vectors;
// narrow weights up to 84 KB on x86-64 and AArch64. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_CONV_H_
#define WEFT_KERNELS_MATRIX_CONV_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"
#include "kernels/matrix/weights.h"
#include "kernels/matrix/window.h"

namespace weft::kernels {

// in_channels and out_channels are per group. One-dimensional data has height 1. Padding after the
// data has no field: out_height and out_width determine it.
struct ConvShape : WindowShape {
  uint32_t groups = 0;
  uint32_t in_channels = 0;
  uint32_t out_channels = 0;
  Activation activation;
};

// `weights` as PackConv lays them out. `bias` may be null, else it has groups * out_channels
// floats.
void Conv(const ConvShape& shape, const float* x, const float* weights, const float* bias,
          float* y);

// The same for another weight type, if the program links it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                       \
  void Conv(const ConvShape& shape, const float* x, const Name* weights, const float* bias, \
            float* y);
#define WEFT_SCALED_WEIGHTS(name, Name, ...) WEFT_WEIGHTS(name, Name)
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_CONV_H_
