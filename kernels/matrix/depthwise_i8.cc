// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_i8.h"

namespace weft::kernels {

void WidenDepthwiseI8(const DepthwiseShape& shape, const DepthwiseI8Weights& weights,
                      uint32_t first, uint32_t channels, float* to) {
  const size_t row = PanelCount(shape.channels) * kPanelOutputs;
  const size_t padded = PanelCount(channels) * kPanelOutputs;
  const size_t taps = size_t{shape.kernel_height} * shape.kernel_width;
  const int8_t* integers = weights.integers + first;
  const float* const scales = weights.scales + first;
  for (size_t tap = 0; tap < taps; ++tap, integers += row, to += padded) {
    for (size_t c = 0; c < channels; ++c) {
      const float zero = weights.zeros == nullptr ? 0.0f : weights.zeros[first + c];
      to[c] = (static_cast<float>(integers[c]) - zero) * scales[c];
    }
    for (size_t c = channels; c < padded; ++c) to[c] = 0.0f;
  }
}

void DepthwiseI8(const DepthwiseShape& shape, bool is_whole, const float* x,
                 const DepthwiseI8Weights& weights, const float* bias, float* y, float* scratch) {
  // Without outputs nothing bounds the other counts.
  if (shape.batch == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  if (is_whole) {
    WidenDepthwiseI8(shape, weights, 0, shape.channels, scratch);
    return Depthwise(shape, x, scratch, bias, y);
  }
  constexpr uint32_t kMost = kDepthwiseI8Channels;
  DepthwiseShape part = shape;
  for (uint32_t first = 0; first < shape.channels; first += part.channels) {
    // Channels of x with all of theirs, or some of those of one.
    const uint32_t multiplier = shape.multiplier, begun = first % multiplier;
    const bool is_one = multiplier > kMost;
    const uint32_t left = is_one ? multiplier - begun : shape.channels - first;
    const uint32_t most = is_one ? kMost : kMost / multiplier * multiplier;
    part.channels = left < most ? left : most;
    part.multiplier = is_one ? part.channels : multiplier;
    WidenDepthwiseI8(shape, weights, first, part.channels, scratch);
    Depthwise(part, x + size_t{first / multiplier} * shape.x.channel, scratch,
              bias == nullptr ? nullptr : bias + first, y + size_t{first} * shape.y.channel);
  }
}

}  // namespace weft::kernels
