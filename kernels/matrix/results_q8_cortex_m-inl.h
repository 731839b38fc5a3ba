// SPDX-License-Identifier: Apache-2.0
// Levels of a panel's sums on a Cortex-M, whose sums lie kStride apart: instructions per output 16 with the DSP extension (22 where
// levels are limited), 4 with Helium.

#if defined(WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
#endif

#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/pack.h"
#include "kernels/simd/levels-inl.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(__ARM_FEATURE_MVE)

// Four outputs at a time, those beyond the last masked. Of a number and none VMAXNM takes the number.
template <size_t kStride>
WEFT_PART void LevelsOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const LevelBounds& bounds, int8_t* y) {
  const float32x4_t low = vdupq_n_f32(bounds.low), high = vdupq_n_f32(bounds.high);
  const int32x4_t zero = vdupq_n_s32(bounds.zero);
  for (size_t i = 0; i < outputs; i += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(outputs - i));
    static_assert(kStride == 1, "sums of a row lie beside each other");
    int32x4_t integers = vldrwq_s32(sums + i);
    if (factors.first != nullptr) {
      integers = vaddq_s32(integers, vldrwq_z_s32(factors.first + i, some));
    }
    float32x4_t v = vmulq_f32(vcvtq_f32_s32(integers), vldrwq_z_f32(factors.scales + i, some));
    if (factors.start != nullptr) v = vaddq_f32(v, vldrwq_z_f32(factors.start + i, some));
    const int32x4_t rounded = vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(v, low), high));
    vstrbq_p_s32(y + i, vaddq_s32(rounded, zero), some);
  }
}

#else

HWY_INLINE int32_t RoundToEven(float v) {
  int32_t rounded;
  __asm__("vcvtr.s32.f32 %0, %1" : "=t"(v) : "t"(v));
  __builtin_memcpy(&rounded, &v, sizeof rounded);
  return rounded;
}

// Adds what lies within 32 bits and is no level yet: first to 32 bits, then to those of a level.
HWY_INLINE int32_t SaturateLevel(int32_t rounded, int32_t zero) {
  __asm__("qadd %0, %0, %1\n\tssat %0, #8, %0" : "+r"(rounded) : "r"(zero) : "cc");
  return rounded;
}

HWY_INLINE float NumberOf(int32_t sum, int32_t first, float scale, float start) {
  const uint32_t all = static_cast<uint32_t>(sum) + static_cast<uint32_t>(first);
  const float scaled = static_cast<float>(static_cast<int32_t>(all)) * scale;
  return scaled + start;
}

// A number beyond 32 bits becomes the nearest of them, which is no level. Whether all are numbers shows in
// the end: only then are they known to be right.
template <size_t kStride>
WEFT_PART void LevelsOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const LevelBounds& bounds, int8_t* y) {
  static constexpr int32_t kNoFirst[kPanelOutputs] = {};
  static constexpr float kNoStart[kPanelOutputs] = {};
  const int32_t* const first = factors.first == nullptr ? kNoFirst : factors.first;
  const float* const start = factors.start == nullptr ? kNoStart : factors.start;
  const float* const scales = factors.scales;
  const int32_t zero = bounds.zero;
  const int32_t low = static_cast<int32_t>(bounds.low) + zero;
  const int32_t high = static_cast<int32_t>(bounds.high) + zero;
  float none = 0.0f;
  HWY_UNROLL(4)
  for (size_t i = 0; i < outputs; ++i) {
    const float v = NumberOf(sums[i * kStride], first[i], scales[i], start[i]);
    none = __builtin_fmaf(v, 0.0f, none);
    y[i] = static_cast<int8_t>(SaturateLevel(RoundToEven(v), zero));
  }
  if (low != -128 || high != 127) {
    for (size_t i = 0; i < outputs; ++i) {
      const int32_t level = y[i], raised = level < low ? low : level;
      y[i] = static_cast<int8_t>(raised < high ? raised : high);
    }
  }
  if (none == 0.0f) return;
  for (size_t i = 0; i < outputs; ++i) {
    const float v = NumberOf(sums[i * kStride], first[i], scales[i], start[i]);
    if (v != v) y[i] = static_cast<int8_t>(low);
  }
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
