// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_i8.h"

namespace weft::kernels {

void WidenDepthwiseI8(size_t row, size_t taps, const DepthwiseI8Weights& weights, uint32_t first,
                      uint32_t channels, float* to) {
  const size_t padded = PanelCount(channels) * kPanelOutputs;
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

void DepthwiseI8(DepthwiseShape& shape, bool is_whole, const float* x,
                 const DepthwiseI8Weights& weights, const float* bias, float* y, float* scratch) {
  // If there are no outputs, the other counts are not bounded.
  if (shape.batch == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  const uint32_t channels = shape.channels, multiplier = shape.multiplier;
  const size_t row = PanelCount(channels) * kPanelOutputs;
  const size_t taps = size_t{shape.kernel_height} * shape.kernel_width;
  const uint32_t at_once = is_whole ? channels : kDepthwiseI8Channels;
  // Processes complete input channels with all their outputs, or, with a large multiplier, some
  // outputs of one input channel.
  const bool is_one = multiplier > at_once;
  const uint32_t max = is_one ? at_once : at_once / multiplier * multiplier;
  for (uint32_t first = 0; first < channels; first += shape.channels) {
    const uint32_t left = is_one ? multiplier - first % multiplier : channels - first;
    shape.channels = left < max ? left : max;
    if (is_one) shape.multiplier = shape.channels;
    WidenDepthwiseI8(row, taps, weights, first, shape.channels, scratch);
    Depthwise(shape, x + size_t{first / multiplier} * shape.x.channel, scratch,
              bias == nullptr ? nullptr : bias + first, y + size_t{first} * shape.y.channel);
  }
}

}  // namespace weft::kernels
