// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for depthwise without its activation: one chain per output, to be matched
// bit for bit.
#ifndef WEFT_KERNELS_REFERENCE_DEPTHWISE_H_
#define WEFT_KERNELS_REFERENCE_DEPTHWISE_H_

#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/pack.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

// `x` and `weights` are those of the channel.
inline float DepthwisePixelReference(const DepthwiseShape& s, const float* x, const float* weights,
                                     float start, int64_t py, int64_t px) {
  const size_t padded = PanelCount(s.channels) * kPanelOutputs;
  float sum = start;
  for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
    for (int64_t kx = 0; kx < s.kernel_width; ++kx) {
      const int64_t iy = py * s.stride_y + ky * s.dilation_y - s.pad_top;
      const int64_t ix = px * s.stride_x + kx * s.dilation_x - s.pad_left;
      if (iy < 0 || ix < 0 || iy >= s.in_height || ix >= s.in_width) continue;
      const size_t tap = static_cast<size_t>(ky * s.kernel_width + kx);
      sum = std::fmaf(x[iy * s.x.row + ix * s.x.pixel], weights[tap * padded], sum);
    }
  }
  return sum;
}

inline void DepthwiseReference(const DepthwiseShape& s, const float* x, const float* weights,
                               const float* bias, float* y) {
  for (size_t b = 0; b < s.batch; ++b) {
    for (size_t c = 0; c < s.channels; ++c) {
      const float* from = x + b * s.x.image + c / s.multiplier * s.x.channel;
      float* to = y + b * s.y.image + c * s.y.channel;
      const float start = bias == nullptr ? 0.0f : bias[c];
      for (size_t py = 0; py < s.out_height; ++py) {
        for (size_t px = 0; px < s.out_width; ++px) {
          to[py * s.y.row + px * s.y.pixel] = DepthwisePixelReference(
              s, from, weights + c, start, static_cast<int64_t>(py), static_cast<int64_t>(px));
        }
      }
    }
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DEPTHWISE_H_
