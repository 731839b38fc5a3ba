// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for quantised pooling: one output.
#ifndef WEFT_KERNELS_REFERENCE_POOL_Q8_H_
#define WEFT_KERNELS_REFERENCE_POOL_Q8_H_

#include "kernels/reduce/pool_q8_shorts.h"
#include "kernels/reference/quantize.h"

namespace weft::kernels {

inline int8_t PoolQ8Reference(const PoolQ8Shape& s, const int8_t* x, size_t image, size_t c,
                              int64_t py, int64_t px) {
  int8_t largest = -128;
  int64_t sum = 0, all = 0, inside = 0, padded = 0;
  const int8_t* from = x + image * s.x.image + c * s.x.channel;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    padded +=
        tap.iy < int64_t{s.in_height} + s.pad_bottom && tap.ix < int64_t{s.in_width} + s.pad_right;
    if (!tap.is_inside) return;
    const int8_t code = from[tap.offset];
    largest = code > largest ? code : largest;
    sum += code - s.x_zero;
    all += code;
    ++inside;
  });
  if (s.op == PoolOp::kMax) return largest;
  if (s.codes.by_integers && s.multiplier.mantissa != 0) {
    return CodeOfIntegerReference(s.codes,
                                  RescaledReference(static_cast<int32_t>(sum), s.multiplier));
  }
  if (s.codes.by_integers) {
    const double mean =
        inside == 0 ? 0 : std::round(static_cast<double>(all) / static_cast<double>(inside));
    return static_cast<int8_t>(std::fmin(std::fmax(mean, s.codes.low), s.codes.high));
  }
  const int64_t taps = s.op == PoolOp::kMeanExcludePad ? inside : padded;
  const float scaled = static_cast<float>(sum) * s.scale;
  return CodeReference(s.codes, taps == 0 ? scaled : scaled / static_cast<float>(taps));
}

inline int16_t PoolShortsReference(const PoolQ8Shape& s, const int16_t* x, size_t image, size_t c,
                                   int64_t py, int64_t px) {
  int32_t max = -32768, sum = 0, count = 0;
  const int16_t* from = x + image * s.x.image + c * s.x.channel;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    if (!tap.is_inside) return;
    const int16_t code = from[tap.offset];
    max = code > max ? code : max;
    sum += code;
    ++count;
  });
  if (s.op == PoolOp::kMax) return static_cast<int16_t>(max);
  if (s.multiplier.mantissa != 0) {
    return static_cast<int16_t>(
        std::fmin(std::fmax(RescaledReference(sum, s.multiplier), -32768), 32767));
  }
  return static_cast<int16_t>(count == 0 ? 0 : std::round(static_cast<double>(sum) / count));
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_POOL_Q8_H_
