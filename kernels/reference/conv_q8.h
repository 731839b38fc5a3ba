// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for quantised conv without its activation: one output, from unpacked
// weights.
#ifndef WEFT_KERNELS_REFERENCE_CONV_Q8_H_
#define WEFT_KERNELS_REFERENCE_CONV_Q8_H_

#include "kernels/matrix/conv_q8_shorts.h"
#include "kernels/reference/dense_q8.h"

namespace weft::kernels {

// The quantised value at a tap in one channel of x; x_zero outside the input.
template <typename Shape, typename Code>
Code CodeAtTapReference(const Shape& s, const Code* x, size_t image, size_t channel,
                        const WindowTap& tap) {
  if (!tap.is_inside) return s.x_zero;
  return (x + image * s.x.image + channel * s.x.channel)[tap.offset];
}

// The sum of one pixel of channel `c` over all groups; `weights` are [group *
// out_channels][ky][kx][in_channels].
template <typename Code>
int64_t ConvSumReference(const ConvQ8Shape& s, const Code* x, const int8_t* weights, size_t image,
                         size_t c, int64_t py, int64_t px) {
  const size_t first = c / s.out_channels * s.in_channels;
  const int8_t* weight = weights + c * s.kernel_height * s.kernel_width * s.in_channels;
  int64_t sum = 0;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    for (size_t i = 0; i < s.in_channels; ++i) {
      sum += int64_t{CodeAtTapReference(s, x, image, first + i, tap)} * *weight++;
    }
  });
  return sum;
}

inline ResultQ8 ConvQ8Reference(const ConvQ8Shape& s, const int8_t* x, const int8_t* weights,
                                const FactorsQ8& factors, size_t image, size_t c, int64_t py,
                                int64_t px) {
  return ResultQ8Reference(s.results, factors, ConvSumReference(s, x, weights, image, c, py, px),
                           c);
}

inline int16_t ConvShortsReference(const ConvQ8Shape& s, const int16_t* x, const int8_t* weights,
                                   const ShortResults& results, size_t image, size_t c, int64_t py,
                                   int64_t px) {
  return ShortResultReference(results, ConvSumReference(s, x, weights, image, c, py, px), c);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_CONV_Q8_H_
