// SPDX-License-Identifier: Apache-2.0
// Windows of adjacent channels on a Cortex-M with Helium or with the DSP extension, which compute
// 16 or 4 channels at a time. Instructions per tap and channel: 0.3 or 1.5 of a maximum, 0.6 or 1.5
// of a sum.

#if defined(WEFT_KERNELS_REDUCE_POOL_Q8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_REDUCE_POOL_Q8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_REDUCE_POOL_Q8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_REDUCE_POOL_Q8_CORTEX_M_INL_H_
#endif

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

#include "kernels/reduce/pool_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Sums of this number of codes are within 16 bits.
inline constexpr size_t kMaxShortTaps = 256;

// Calls tap(address) for each tap of a channel.
template <typename Tap>
HWY_INLINE void ForTaps(const TapSteps& taps, const int8_t* x, const Tap& tap) {
  for (size_t left = taps.rows; left != 0; --left, x += taps.row) {
    const int8_t* from = x;
    for (size_t k = taps.columns; k != 0; --k, from += taps.column) tap(from);
  }
}

// Minimum number of channels of a call.
#if defined(__ARM_FEATURE_MVE)
inline constexpr size_t kMinPooled = 1;
#else
inline constexpr size_t kMinPooled = 4;
#endif

#if defined(__ARM_FEATURE_MVE)

// The maxima of `count` <= kPooled channels.
WEFT_PART void MaxOfTaps(const TapSteps& taps, const int8_t* x, size_t count, int8_t* y) {
  const mve_pred16_t some = vctp8q(static_cast<uint32_t>(count));
  int8x16_t max = vdupq_n_s8(-128);
  ForTaps(taps, x, [&](const int8_t* from) { max = vmaxq_s8(max, vldrbq_z_s8(from, some)); });
  vstrbq_p_s8(y, max, some);
}

// The sums of `count` <= kPooled channels and at most kMaxShortTaps taps.
WEFT_PART void SumsOfTaps(const TapSteps& taps, const int8_t* x, size_t count, int32_t* values) {
  for (size_t i = 0; i < count; i += 8, x += 8, values += 8) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(count - i));
    int16x8_t sums = vdupq_n_s16(0);
    ForTaps(taps, x, [&](const int8_t* from) { sums = vaddq_s16(sums, vldrbq_z_s16(from, some)); });
    int16_t shorts[8];
    vstrhq_s16(shorts, sums);
    vstrwq_s32(values, vldrhq_s32(shorts));
    vstrwq_s32(values + 4, vldrhq_s32(shorts + 4));
  }
}

// Narrows `count` <= kPooled codes.
HWY_INLINE void WriteCodes(const int32_t* values, size_t count, int8_t* y) {
  for (size_t i = 0; i < count; i += 4) {
    vstrbq_p_s32(y + i, vldrwq_s32(values + i), vctp32q(static_cast<uint32_t>(count - i)));
  }
}

#else

HWY_INLINE uint32_t FourAt(const int8_t* x) {
  uint32_t four;
  __builtin_memcpy(&four, x, sizeof four);
  return four;
}

// The maxima of `count` <= kPooled channels. The last four channels may overlap others.
WEFT_PART void MaxOfTaps(const TapSteps& taps, const int8_t* x, size_t count, int8_t* y) {
  for (size_t i = 0; i < count; i += 4) {
    if (count - i < 4) i = count - 4;
    uint32_t max = 0x80808080;
    ForTaps(taps, x + i, [&](const int8_t* from) {
      const uint32_t four = FourAt(from);
      uint32_t difference;  // SSUB8 sets flags for SEL
      __asm__(
          "ssub8 %1, %0, %2\n\t"
          "sel %0, %0, %2"
          : "+r"(max), "=&r"(difference)
          : "r"(four)
          : "cc");
    });
    __builtin_memcpy(y + i, &max, sizeof max);
  }
}

// The sums of `count` <= kPooled channels and at most kMaxShortTaps taps.
WEFT_PART void SumsOfTaps(const TapSteps& taps, const int8_t* x, size_t count, int32_t* values) {
  for (size_t i = 0; i < count; i += 4) {
    if (count - i < 4) i = count - 4;
    int32_t even = 0, odd = 0;  // two sums each
    ForTaps(taps, x + i, [&](const int8_t* from) {
      const uint32_t four = FourAt(from);
      __asm__("sxtab16 %0, %0, %1" : "+r"(even) : "r"(four));
      __asm__("sxtab16 %0, %0, %1, ror #8" : "+r"(odd) : "r"(four));
    });
    values[i] = static_cast<int16_t>(even);
    values[i + 1] = static_cast<int16_t>(odd);
    values[i + 2] = even >> 16;
    values[i + 3] = odd >> 16;
  }
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_REDUCE_POOL_Q8_CORTEX_M_INL_H_
