// SPDX-License-Identifier: Apache-2.0
// Levels of a panel's sums on a Cortex-M, whose sums lie kStride apart. Instructions per output: the DSP
// extension 13, 15 where levels are limited, Helium 7.

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
  const FactorsQ8 of = factors;  // bytes that are written might else be these
  for (size_t i = 0; i < outputs; i += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(outputs - i));
    static_assert(kStride == 1, "sums of a row lie beside each other");
    int32x4_t integers = vldrwq_s32(sums + i);
    if (of.first != nullptr) {
      integers = vaddq_s32(integers, vldrwq_z_s32(of.first + i, some));
    }
    float32x4_t v = vmulq_f32(vcvtq_f32_s32(integers), vldrwq_z_f32(of.scales + i, some));
    if (of.start != nullptr) v = vaddq_f32(v, vldrwq_z_f32(of.start + i, some));
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

// clang-format off
// An instruction of each of four numbers and of four others.
#undef WEFT_FOUR_PAIRS
#define WEFT_FOUR_PAIRS(instruction, a, b, c, d) \
  instruction " s0, s0, " a "\n\t"              \
  instruction " s1, s1, " b "\n\t"              \
  instruction " s2, s2, " c "\n\t"              \
  instruction " s3, s3, " d "\n\t"
#undef WEFT_FOUR_NUMBERS
#define WEFT_FOUR_NUMBERS(instruction) \
  instruction " s0, s0\n\t"           \
  instruction " s1, s1\n\t"           \
  instruction " s2, s2\n\t"           \
  instruction " s3, s3\n\t"
#undef WEFT_STORE_LEVEL
#define WEFT_STORE_LEVEL(level)                    \
  "qadd " level ", " level ", %[zero]\n\t"         \
  "ssat " level ", #8, " level "\n\t"             \
  "strb " level ", [%[y]], #1\n\t"
#undef WEFT_FOUR_LEVELS
#define WEFT_FOUR_LEVELS                                      \
  "ldrd %[e], %[f], [%[first]], #8\n\t"                       \
  "add %[a], %[e]\n\t"                                        \
  "add %[b], %[f]\n\t"                                        \
  "ldrd %[e], %[f], [%[first]], #8\n\t"                       \
  "add %[c], %[e]\n\t"                                        \
  "add %[d], %[f]\n\t"                                        \
  "vmov s0, s1, %[a], %[b]\n\t"                               \
  "vmov s2, s3, %[c], %[d]\n\t"                               \
  "vldmia %[scales]!, {s4-s7}\n\t"                            \
  "vldmia %[start]!, {s8-s11}\n\t"                            \
  WEFT_FOUR_NUMBERS("vcvt.f32.s32")                           \
  WEFT_FOUR_PAIRS("vmul.f32", "s4", "s5", "s6", "s7")         \
  WEFT_FOUR_PAIRS("vadd.f32", "s8", "s9", "s10", "s11")       \
  "vfma.f32 %[none], s0, %[nothing]\n\t"                      \
  "vfma.f32 %[none], s1, %[nothing]\n\t"                      \
  "vfma.f32 %[none], s2, %[nothing]\n\t"                      \
  "vfma.f32 %[none], s3, %[nothing]\n\t"                      \
  WEFT_FOUR_NUMBERS("vcvtr.s32.f32")                          \
  "vmov %[a], %[b], s0, s1\n\t"                               \
  "vmov %[c], %[d], s2, s3\n\t"                               \
  WEFT_STORE_LEVEL("%[a]") WEFT_STORE_LEVEL("%[b]")           \
  WEFT_STORE_LEVEL("%[c]") WEFT_STORE_LEVEL("%[d]")
// clang-format on

// Four levels into the range of those that `low` and `high` hold four times.
HWY_INLINE void LimitFour(uint32_t low, uint32_t high, int8_t* y) {
  uint32_t four, above;
  __builtin_memcpy(&four, y, sizeof four);
  __asm__(
      "ssub8 %[above], %[four], %[low]\n\t"
      "sel %[four], %[four], %[low]\n\t"
      "ssub8 %[above], %[high], %[four]\n\t"
      "sel %[four], %[four], %[high]"
      : [four] "+&r"(four), [above] "=&r"(above)
      : [low] "r"(low), [high] "r"(high)
      : "cc");
  __builtin_memcpy(y, &four, sizeof four);
}

// Levels of a whole panel. A number beyond 32 bits becomes the nearest of them, which is no level. False
// where one may be no number.
template <size_t kStride>
HWY_INLINE bool PanelLevels(const int32_t* sums, const int32_t* first, const float* scales,
                            const float* start, const LevelBounds& bounds, int8_t* y) {
  const int32_t zero = bounds.zero;
  const float nothing = 0.0f;
  float none = 0.0f;
  int8_t* to = y;
  for (size_t i = 0; i < kPanelOutputs; i += 4, sums += 4 * kStride) {
    int32_t a = sums[0], b = sums[kStride], c = sums[2 * kStride], d = sums[3 * kStride], e, f;
    __asm__ volatile(WEFT_FOUR_LEVELS
                     : [a] "+&r"(a), [b] "+&r"(b), [c] "+&r"(c), [d] "+&r"(d), [e] "=&r"(e),
                       [f] "=&r"(f), [first] "+&r"(first), [scales] "+&r"(scales),
                       [start] "+&r"(start), [y] "+&r"(to), [none] "+&t"(none)
                     : [zero] "r"(zero), [nothing] "t"(nothing)
                     : "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10",
                       "s11");
  }
  const int32_t low = static_cast<int32_t>(bounds.low) + zero;
  const int32_t high = static_cast<int32_t>(bounds.high) + zero;
  if (low != -128 || high != 127) {
    const uint32_t lows = static_cast<uint8_t>(low) * 0x01010101u;
    const uint32_t highs = static_cast<uint8_t>(high) * 0x01010101u;
    for (size_t i = 0; i < kPanelOutputs; i += 4) LimitFour(lows, highs, y + i);
  }
  return none == 0.0f;
}

HWY_INLINE int8_t LevelOf(float v, const LevelBounds& bounds) {
  const auto high = static_cast<int32_t>(bounds.high);
  const int32_t rounded = RoundToEven(v > bounds.low ? v : bounds.low);
  return static_cast<int8_t>((rounded < high ? rounded : high) + bounds.zero);
}

template <size_t kStride>
WEFT_PART void LevelsOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const LevelBounds& bounds, int8_t* y) {
  static constexpr int32_t kNoFirst[kPanelOutputs] = {};
  static constexpr float kNoStart[kPanelOutputs] = {};
  const int32_t* const first = factors.first == nullptr ? kNoFirst : factors.first;
  const float* const start = factors.start == nullptr ? kNoStart : factors.start;
  const float* const scales = factors.scales;
  if (outputs == kPanelOutputs && PanelLevels<kStride>(sums, first, scales, start, bounds, y)) {
    return;
  }
  for (size_t i = 0; i < outputs; ++i) {
    const uint32_t sum = static_cast<uint32_t>(sums[i * kStride]) + static_cast<uint32_t>(first[i]);
    const float scaled = static_cast<float>(static_cast<int32_t>(sum)) * scales[i];
    y[i] = LevelOf(scaled + start[i], bounds);
  }
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
