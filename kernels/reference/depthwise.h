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
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    if (!tap.is_inside) return;
    sum = std::fmaf(x[tap.offset], weights[static_cast<size_t>(tap.index) * padded], sum);
  });
  return sum;
}

inline void DepthwiseReference(const DepthwiseShape& s, const float* x, const float* weights,
                               const float* bias, float* y) {
  ForEachPixel(s, s.channels, y, [&](size_t b, size_t c, int64_t py, int64_t px) {
    const float* from = x + b * s.x.image + c / s.multiplier * s.x.channel;
    const float start = bias == nullptr ? 0.0f : bias[c];
    return DepthwisePixelReference(s, from, weights + c, start, py, px);
  });
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DEPTHWISE_H_
