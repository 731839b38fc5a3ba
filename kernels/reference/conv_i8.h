// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for conv in integers without its activation: dense_i8's for each patch,
// to be matched bit for bit.
#ifndef WEFT_KERNELS_REFERENCE_CONV_I8_H_
#define WEFT_KERNELS_REFERENCE_CONV_I8_H_

#include <vector>

#include "kernels/matrix/conv_i8.h"
#include "kernels/reference/dense_i8.h"

namespace weft::kernels {

// The patch of pixel (py, px); `x` is the group's first channel.
template <typename Number>
std::vector<Number> PatchReference(const ConvShape& s, const Number* x, int64_t py, int64_t px) {
  std::vector<Number> patch;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    for (int64_t c = 0; c < s.in_channels; ++c) {
      patch.push_back(tap.is_inside ? x[tap.offset + c * s.x.channel] : Number{0});
    }
  });
  return patch;
}

// Number is float or int16_t.
template <typename Number>
void ConvI8Reference(const ConvI8Shape& s, const Number* x, const int8_t* weights,
                     const float* scales, const float* bias, float* y) {
  DenseI8Shape product;
  product.rows = 1;
  product.inputs = s.kernel_height * s.kernel_width * s.in_channels;
  product.outputs = s.out_channels;
  product.max = s.max;
  const size_t group_weights = PackedDenseI8Bytes(s.out_channels, product.inputs);
  const size_t padded = PanelCount(s.out_channels) * kPanelOutputs;
  for (size_t pixel = 0; pixel < size_t{s.batch} * s.out_height * s.out_width; ++pixel) {
    const size_t px = pixel % s.out_width, py = pixel / s.out_width % s.out_height;
    const size_t b = pixel / s.out_width / s.out_height;
    for (size_t g = 0; g < s.groups; ++g) {
      const Number* from = x + b * s.x.image + g * s.in_channels * s.x.channel;
      const std::vector<Number> patch =
          PatchReference(s, from, static_cast<int64_t>(py), static_cast<int64_t>(px));
      for (size_t c = 0; c < s.out_channels; ++c) {
        const size_t channel = g * s.out_channels + c;
        const float* start = bias == nullptr ? nullptr : bias + g * s.out_channels;
        y[b * s.y.image + py * s.y.row + px * s.y.pixel + channel * s.y.channel] = DenseI8Reference(
            product, patch.data(), weights + g * group_weights, scales + g * padded, start, 0, c);
      }
    }
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_CONV_I8_H_
