// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool_q8_shorts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/pool_q8_shorts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/reduce/pool_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The mean of `taps` values that add up to `sum`.
HWY_INLINE int32_t MeanOf(int32_t sum, int32_t taps, const Multiplier& by) {
  if (by.mantissa == 0) return taps == 0 ? 0 : (sum < 0 ? sum - taps / 2 : sum + taps / 2) / taps;
  return kernels::Rescaled(sum, by);
}

// Computes one pixel, whose taps begin at x.
WEFT_PART void PixelOfShorts(const PoolQ8Shape& shape, const TapSteps& taps, const int16_t* x,
                             int16_t* y) {
  const bool is_max = shape.op == PoolOp::kMax;
  const auto tap_count = static_cast<int32_t>(taps.rows * taps.columns);
  for (size_t channel = 0; channel < shape.channels; channel += kPooled) {
    const size_t left = shape.channels - channel, count = left < kPooled ? left : kPooled;
    const size_t from = taps.rows == 0 || channel == 0 ? 0 : channel * shape.x.channel;
    int32_t values[kPooled];
    if (is_max) {
      PoolTaps<true>(taps, x + from, shape.x.channel, count, values);
    } else {
      PoolTaps<false>(taps, x + from, shape.x.channel, count, values);
    }
    for (size_t i = 0; i < count; ++i) {
      const int32_t v = is_max ? values[i] : MeanOf(values[i], tap_count, shape.multiplier);
      y[(channel + i) * shape.y.channel] = static_cast<int16_t>(v < -0x8000  ? -0x8000
                                                                : v > 0x7FFF ? 0x7FFF
                                                                             : v);
    }
  }
}

void PoolQ8Shorts(const PoolQ8Shape& shape, const int16_t* x, int16_t* y) {
  ForPixels(shape, x, y,
            [&](const TapSteps& taps, size_t, const int16_t* from, int16_t* to)
                HWY_ATTR { PixelOfShorts(shape, taps, from, to); });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(PoolQ8Shorts, (const PoolQ8Shape& shape, const int16_t* x, int16_t* y), (shape, x, y))
