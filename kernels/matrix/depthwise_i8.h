// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with int8 weights: as depthwise.h, with the weights
//
//   w[c,ky,kx] = (integers[c,ky,kx] - zeros[c]) * scales[c]
//
// with an exact difference and a product rounded once. Weights become floats in scratch, for all
// channels or some channels at a time: int8 weights save flash, not time. The sum of a channel has
// too few taps for integer arithmetic to pay off, so x stays float. y must not overlap an operand.
// The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_DEPTHWISE_I8_H_
#define WEFT_KERNELS_MATRIX_DEPTHWISE_I8_H_

#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/pack.h"

namespace weft::kernels {

// Number of channels of y whose weights are widened at the same time: complete panels.
inline constexpr uint32_t kDepthwiseI8Channels = 32;

// Returns true if all weights are widened at once, which then need at most a sixteenth of an image
// of y. Params are the parameters of a step.
template <typename Params>
constexpr bool DepthwiseI8WidensAll(const Params& p) {
  const auto bounded = [](uint64_t a, uint64_t b) {
    constexpr uint64_t kBound = 0xFFFFFFFF;
    return a * b < kBound ? a * b : kBound;
  };
  const uint64_t padded = uint64_t{PanelCount(p.channels())} * kPanelOutputs;
  const uint64_t floats = bounded(padded, bounded(p.kernel_height(), p.kernel_width()));
  return padded <= kDepthwiseI8Channels ||
         floats <= bounded(p.channels(), bounded(p.out_height(), p.out_width())) / 16;
}

// Size of scratch; `taps` is the number of taps per channel.
constexpr uint64_t DepthwiseI8ScratchFloats(bool is_whole, uint32_t channels, uint32_t taps) {
  return (is_whole ? uint64_t{PanelCount(channels)} * kPanelOutputs : kDepthwiseI8Channels) * taps;
}

// Integers as PackDepthwiseI8 lays them out; scales and zeros are padded to complete panels. Null
// zeros mean zero points of 0.
struct DepthwiseI8Weights {
  const int8_t* integers = nullptr;
  const float* scales = nullptr;
  const float* zeros = nullptr;
};

// Writes the weights of Depthwise for `channels` channels of y from `first` on, with `taps` taps
// each. The integers of a tap are a row with stride `row`.
void WidenDepthwiseI8(size_t row, size_t taps, const DepthwiseI8Weights& weights, uint32_t first,
                      uint32_t channels, float* to);

// `scratch` holds DepthwiseI8ScratchFloats. On return `shape` is that of the last channels, because
// boards have too little stack for a copy. Otherwise as Depthwise.
void DepthwiseI8(DepthwiseShape& shape, bool is_whole, const float* x,
                 const DepthwiseI8Weights& weights, const float* bias, float* y, float* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_I8_H_
