// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for pool: additions in blocks as defined in sum.h, then one division, to
// be matched bit for bit.
#ifndef WEFT_KERNELS_REFERENCE_POOL_H_
#define WEFT_KERNELS_REFERENCE_POOL_H_

#include "kernels/reduce/pool.h"
#include "kernels/reference/reference.h"
#include "kernels/simd/sum.h"

namespace weft::kernels {

// `x` is that of the channel.
inline float PoolPixelReference(const PoolShape& s, const float* x, int64_t py, int64_t px) {
  float largest = -INFINITY;
  float sum = 0.0f;
  float group = 0.0f, total = 0.0f;  // as defined in sum.h
  uint32_t terms = 0;
  float inside = 0.0f;
  float padded = 0.0f;
  ForEachTap(s, py, px, [&](const WindowTap& tap) {
    if (tap.iy < int64_t{s.in_height} + s.pad_bottom &&
        tap.ix < int64_t{s.in_width} + s.pad_right) {
      padded += 1.0f;
    }
    if (!tap.is_inside) return;
    const float value = x[tap.offset];
    largest = std::isnan(value) || value > largest ? value : largest;
    sum += value;
    if (++terms % kSumBlock == 0) {
      group += sum;
      sum = 0.0f;
    }
    if (terms % (kSumBlock * kSumBlock) == 0) {
      total += group;
      group = 0.0f;
    }
    inside += 1.0f;
  });
  if (s.op == PoolOp::kMax) return largest;
  const float count = s.op == PoolOp::kMeanExcludePad ? inside : padded;
  return count == 0.0f ? 0.0f : (total + (group + sum)) / count;
}

inline void PoolReference(const PoolShape& s, const float* x, float* y) {
  ForEachPixel(s, s.channels, y, [&](size_t b, size_t c, int64_t py, int64_t px) {
    return PoolPixelReference(s, x + b * s.x.image + c * s.x.channel, py, px);
  });
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_POOL_H_
