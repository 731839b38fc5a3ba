// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for quantised depthwise without its activation: one output, from unpacked
// weights.
#ifndef WEFT_KERNELS_REFERENCE_DEPTHWISE_Q8_H_
#define WEFT_KERNELS_REFERENCE_DEPTHWISE_Q8_H_

#include "kernels/matrix/depthwise_q8_shorts.h"
#include "kernels/reference/conv_q8.h"

namespace weft::kernels {

// `weights` are [channel][ky][kx].
inline ResultQ8 DepthwiseQ8Reference(const DepthwiseQ8Shape& s, const int8_t* x,
                                     const int8_t* weights, const FactorsQ8& factors, size_t image,
                                     size_t c, int64_t py, int64_t px) {
  const int8_t* weight = weights + c * s.kernel_height * s.kernel_width;
  int64_t sum = 0;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    sum += int64_t{CodeAtTapReference(s, x, image, c / s.multiplier, tap)} * *weight++;
  });
  return ResultQ8Reference(s.results, factors, sum, c);
}

// `weights` are [channel][ky][kx].
inline int16_t DepthwiseShortsReference(const DepthwiseQ8Shape& s, const int16_t* x,
                                        const int8_t* weights, const ShortResults& results,
                                        size_t image, size_t c, int64_t py, int64_t px) {
  const int8_t* weight = weights + c * s.kernel_height * s.kernel_width;
  int64_t sum = 0;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    sum += int64_t{CodeAtTapReference(s, x, image, c / s.multiplier, tap)} * *weight++;
  });
  return ShortResultReference(results, sum, c);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DEPTHWISE_Q8_H_
