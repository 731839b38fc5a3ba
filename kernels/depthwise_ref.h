// SPDX-License-Identifier: Apache-2.0
// Scalar twin of depthwise without its tail: one chain per output, to be met to the bit.
#ifndef WEFT_KERNELS_DEPTHWISE_REF_H_
#define WEFT_KERNELS_DEPTHWISE_REF_H_

#include "kernels/depthwise.h"
#include "kernels/twin.h"

namespace weft::kernels {

inline float DepthwisePixelTwin(const DepthwiseShape& s, const float* x, const float* weights,
                                float start, int64_t py, int64_t px) {
  float sum = start;
  for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
    for (int64_t kx = 0; kx < s.kernel_width; ++kx) {
      const int64_t iy = py * s.stride_y + ky * s.dilation_y - s.pad_top;
      const int64_t ix = px * s.stride_x + kx * s.dilation_x - s.pad_left;
      if (iy < 0 || ix < 0 || iy >= s.in_height || ix >= s.in_width) continue;
      sum = std::fmaf(x[iy * s.in_width + ix], weights[ky * s.kernel_width + kx], sum);
    }
  }
  return sum;
}

inline void DepthwiseTwin(const DepthwiseShape& s, const float* x, const float* weights,
                          const float* bias, float* y) {
  const size_t taps = size_t{s.kernel_height} * s.kernel_width;
  const size_t in_plane = size_t{s.in_height} * s.in_width;
  for (size_t b = 0; b < s.batch; ++b) {
    for (size_t c = 0; c < s.channels; ++c) {
      const float* plane = x + (b * (s.channels / s.multiplier) + c / s.multiplier) * in_plane;
      for (uint32_t py = 0; py < s.out_height; ++py) {
        for (uint32_t px = 0; px < s.out_width; ++px) {
          const float start = bias == nullptr ? 0.0f : bias[c];
          *y++ = DepthwisePixelTwin(s, plane, weights + c * taps, start, py, px);
        }
      }
    }
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DEPTHWISE_REF_H_
