// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for conv without its activation: one chain per output over unpacked
// weights, to be matched bit for bit.
#ifndef WEFT_KERNELS_REFERENCE_CONV_H_
#define WEFT_KERNELS_REFERENCE_CONV_H_

#include "kernels/matrix/conv.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

// Pixel (py, px) of one output channel; `x` is the group's first channel, `weights` is the first
// element of the output channel in [in_channels, kernel_height, kernel_width].
inline float ConvPixelReference(const ConvShape& s, const float* x, const float* weights,
                                float start, int64_t py, int64_t px) {
  const int64_t taps = int64_t{s.kernel_height} * s.kernel_width;
  float sum = start;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    for (int64_t c = 0; tap.is_inside && c < s.in_channels; ++c) {
      sum = std::fmaf(x[tap.offset + c * s.x.channel], weights[c * taps + tap.index], sum);
    }
  });
  return sum;
}

// `weights` are [group, out_channel, in_channel, ky, kx], as before packing.
inline void ConvReference(const ConvShape& s, const float* x, const float* weights,
                          const float* bias, float* y) {
  const size_t taps = size_t{s.in_channels} * s.kernel_height * s.kernel_width;
  const auto pixel = [&](size_t b, size_t c, int64_t py, int64_t px) {
    const size_t group = c / s.out_channels;
    const float* from = x + b * s.x.image + group * s.in_channels * s.x.channel;
    const float start = bias == nullptr ? 0.0f : bias[c];
    return ConvPixelReference(s, from, weights + c * taps, start, py, px);
  };
  ForEachPixel(s, size_t{s.groups} * s.out_channels, y, pixel);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_CONV_H_
