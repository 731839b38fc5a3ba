// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/snake.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/snake.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/math-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE FloatVec SnakeOf(FloatVec x, FloatVec slope, FloatVec height) {
  const FloatVec sine = Sin(hn::Mul(slope, x));
  return Fma(hn::Mul(sine, sine), height, x);
}

void Snake(const SnakeShape& shape, const float* x, const float* slopes, const float* heights,
           float* y) {
  const size_t channels = shape.channels, inner = shape.inner;
  if (channels == 0 || inner == 0) return;  // `outer` is unbounded in this case
  for (size_t outer = 0; outer < shape.outer; ++outer) {
    if (inner == 1) {
      ForVectors(channels, [&](size_t at, size_t lanes) HWY_ATTR {
        StoreFirst(SnakeOf(LoadFirst(x + at, lanes), LoadFirst(slopes + at, lanes),
                           LoadFirst(heights + at, lanes)),
                   y + at, lanes);
      });
      x += channels;
      y += channels;
      continue;
    }
    for (size_t channel = 0; channel < channels; ++channel, x += inner, y += inner) {
      const FloatVec slope = Set(slopes[channel]), height = Set(heights[channel]);
      Map(x, y, inner, [=](FloatVec v) HWY_ATTR { return SnakeOf(v, slope, height); });
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Snake,
            (const SnakeShape& shape, const float* x, const float* slopes, const float* heights,
             float* y),
            (shape, x, slopes, heights, y))
