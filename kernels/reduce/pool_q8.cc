// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool_q8.h"

namespace weft::kernels {
// Converts sums over `taps` taps to codes.
__attribute__((weak)) void IntegerMeans(const PoolQ8Shape& shape, size_t taps, size_t count,
                                        int32_t* values);
}  // namespace weft::kernels

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/pool_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/reduce/pool_q8-inl.h"
#undef WEFT_POOLS_BYTES
#if HWY_TARGET == HWY_SCALAR && (defined(__ARM_FEATURE_MVE) || defined(__ARM_FEATURE_DSP))
#define WEFT_POOLS_BYTES
#include "kernels/reduce/pool_q8_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Converts the sums of `count` channels, each over `taps` taps, to codes with floats, in a program
// whose model needs it (pool_q8_floats.cc).
__attribute__((weak)) void FloatMeans(const PoolQ8Shape& shape, size_t taps, size_t divisor,
                                      size_t count, int32_t* values);

// SumsOfTaps or, for other windows, PoolTaps.
HWY_INLINE void SumTaps(const TapSteps& taps, const int8_t* x, size_t stride, size_t count,
                        int32_t* values) {
#if defined(WEFT_POOLS_BYTES)
  if (stride == 1 && count >= kMinPooled && taps.rows * taps.columns <= kMaxShortTaps) {
    return SumsOfTaps(taps, x, count, values);
  }
#endif
  PoolTaps<false>(taps, x, stride, count, values);
}

// Computes one pixel, whose taps begin at `x`.
WEFT_PART void PoolPixel(const PoolQ8Shape& shape, const TapSteps& taps, size_t divisor,
                         const int8_t* x, int8_t* y) {
  for (size_t channel = 0; channel < shape.channels; channel += kPooled) {
    const size_t left = shape.channels - channel, count = left < kPooled ? left : kPooled;
    const size_t from = taps.rows == 0 || channel == 0 ? 0 : channel * shape.x.channel;
    int32_t values[kPooled];
#if defined(WEFT_POOLS_BYTES)
    if (shape.op == PoolOp::kMax && shape.x.channel == 1 && shape.y.channel == 1 &&
        count >= kMinPooled) {
      MaxOfTaps(taps, x + from, count, y + channel);
      continue;
    }
#endif
    if (shape.op == PoolOp::kMax) {
      PoolTaps<true>(taps, x + from, shape.x.channel, count, values);
    } else {
      SumTaps(taps, x + from, shape.x.channel, count, values);
      if (!shape.codes.by_integers) {
        if (&FloatMeans != nullptr) {
          FloatMeans(shape, taps.rows * taps.columns, divisor, count, values);
        }
      } else if (&IntegerMeans != nullptr) {
        IntegerMeans(shape, taps.rows * taps.columns, count, values);
      }
    }
#if defined(WEFT_POOLS_BYTES) && defined(__ARM_FEATURE_MVE)
    if (shape.y.channel == 1) {
      WriteCodes(values, count, y + channel);
      continue;
    }
#endif
    for (size_t i = 0; i < count; ++i) {
      y[(channel + i) * shape.y.channel] = static_cast<int8_t>(values[i]);
    }
  }
}

void PoolQ8(const PoolQ8Shape& shape, const int8_t* x, int8_t* y) {
  ForPixels(shape, x, y,
            [&](const TapSteps& taps, size_t divisor, const int8_t* from, int8_t* to)
                HWY_ATTR { PoolPixel(shape, taps, divisor, from, to); });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(PoolQ8, (const PoolQ8Shape& shape, const int8_t* x, int8_t* y), (shape, x, y))
