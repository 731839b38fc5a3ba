// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with weights of i8: depthwise.h's, of the weights
//
//   w[c,ky,kx] = (integers[c,ky,kx] - zeros[c]) * scales[c]
//
// the difference exact, the product rounded once. They become floats in scratch, all or some
// channels at a time: it saves flash, not time. A channel's few taps are no sum that integers would
// make shorter, and x stays as it is. y must not overlap an operand. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_DEPTHWISE_I8_H_
#define WEFT_KERNELS_MATRIX_DEPTHWISE_I8_H_

#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/pack.h"

namespace weft::kernels {

// Channels of y whose weights are floats at one time: whole panels of them.
inline constexpr uint32_t kDepthwiseI8Channels = 32;

// True where all are floats at once, which then take no more than a sixteenth of an image of y. Of
// the parameters of a step, which have these numbers.
template <typename Params>
constexpr bool DepthwiseI8IsWhole(const Params& p) {
  const auto bounded = [](uint64_t a, uint64_t b) {
    constexpr uint64_t kBound = 0xFFFFFFFF;
    return a * b < kBound ? a * b : kBound;
  };
  const uint64_t padded = uint64_t{PanelCount(p.channels())} * kPanelOutputs;
  const uint64_t floats = bounded(padded, bounded(p.kernel_height(), p.kernel_width()));
  return padded <= kDepthwiseI8Channels ||
         floats <= bounded(p.channels(), bounded(p.out_height(), p.out_width())) / 16;
}

// Of scratch; `taps` are those of a channel.
constexpr uint64_t DepthwiseI8ScratchFloats(bool is_whole, uint32_t channels, uint32_t taps) {
  return (is_whole ? uint64_t{PanelCount(channels)} * kPanelOutputs : kDepthwiseI8Channels) * taps;
}

// Integers as PackDepthwiseI8 lays them out, scales and zeros for whole panels; no zeros are zeros
// of 0.
struct DepthwiseI8Weights {
  const int8_t* integers = nullptr;
  const float* scales = nullptr;
  const float* zeros = nullptr;
};

// Depthwise's weights of `channels` channels of y from `first` on, of so many taps each; integers
// of a tap are a row of `row`.
void WidenDepthwiseI8(size_t row, size_t taps, const DepthwiseI8Weights& weights, uint32_t first,
                      uint32_t channels, float* to);

// `scratch` holds DepthwiseI8ScratchFloats. `shape` is left as that of the last channels, for
// boards have no stack to spare for two. Otherwise as Depthwise.
void DepthwiseI8(DepthwiseShape& shape, bool is_whole, const float* x,
                 const DepthwiseI8Weights& weights, const float* bias, float* y, float* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_I8_H_
