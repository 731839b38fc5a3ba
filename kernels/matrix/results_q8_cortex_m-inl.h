// SPDX-License-Identifier: Apache-2.0
// Levels of a panel's sums on a Cortex-M. Instructions per output: the DSP extension 11.5, 13
// where levels are limited.

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
#include "kernels/simd/levels_helium-inl.h"
#else
#include "kernels/simd/levels_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// How far a row lies behind the one before: in y, in the numbers that sums are added to, and in the sums,
// in which an output lies `outputs` behind the one before.
struct RowSteps {
  size_t y, start, sums, outputs;
};
HWY_INLINE FactorsQ8 Behind(FactorsQ8 factors, const RowSteps& steps) {
  if (factors.start != nullptr) factors.start += steps.start;
  return factors;
}

// Of a panel without them.
inline constexpr int32_t kNoFirst[kPanelOutputs] = {};
inline constexpr float kNoStart[kPanelOutputs] = {};

#if defined(__ARM_FEATURE_MVE)

// Four outputs at a time, those beyond the last masked. Sums lie beside each other.
WEFT_PART void LevelsOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const LevelBounds& bounds, int8_t* y, size_t = 1) {
  const BoundVectors vectors = VectorsOf(bounds);
  const FactorsQ8 of = factors;  // bytes that are written might else be these
  for (size_t i = 0; i < outputs; i += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(outputs - i));
    int32x4_t integers = vldrwq_s32(sums + i);
    if (of.first != nullptr) {
      integers = vaddq_s32(integers, vldrwq_z_s32(of.first + i, some));
    }
    float32x4_t v = vmulq_f32(vcvtq_f32_s32(integers), vldrwq_z_f32(of.scales + i, some));
    if (of.start != nullptr) v = vaddq_f32(v, vldrwq_z_f32(of.start + i, some));
    vstrbq_p_s32(y + i, FourLevels(v, vectors), some);
  }
}

#else

// What bounds levels of panels.
HWY_INLINE const Levels& PanelBoundsOf(const LevelBounds&, const Levels& levels) { return levels; }

HWY_INLINE int8_t LevelOf(float v, const LevelBounds& bounds) {
  const auto high = static_cast<int32_t>(bounds.high);
  const int32_t rounded = RoundToEven(v > bounds.low ? v : bounds.low);
  return static_cast<int8_t>((rounded < high ? rounded : high) + bounds.zero);
}

// Sums lie `step` apart.
WEFT_PART void LevelsOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const LevelBounds& bounds, int8_t* y, size_t step = 1) {
  const int32_t* const first = factors.first == nullptr ? kNoFirst : factors.first;
  const float* const start = factors.start == nullptr ? kNoStart : factors.start;
  const float* const scales = factors.scales;
  for (size_t i = 0; i < outputs; ++i, sums += step) {
    const uint32_t sum = static_cast<uint32_t>(*sums) + static_cast<uint32_t>(first[i]);
    const float scaled = static_cast<float>(static_cast<int32_t>(sum)) * scales[i];
    y[i] = LevelOf(scaled + start[i], bounds);
  }
}

// What a row of panels begins with, and how far the next one lies behind it. The assembly reads it as a block.
struct PanelRow {
  const int32_t* sums;
  int8_t* y;
  const float *scales, *start;
  size_t sums_step, y_step, start_step;  // bytes
  size_t rows;
};
static_assert(sizeof(PanelRow) == 32, "words without gaps");

// Levels of whole panels of at least one row; false where they may be wrong. Four at a time; s12 and s13
// bound them, s14 is the place of the row.
WEFT_PART bool LevelsOfPanels(const int32_t* sums, const FactorsQ8& factors, size_t rows,
                              const Levels& bounds, int8_t* y, const RowSteps& steps) {
  ForgetInvalid();
  const bool has_start = factors.start != nullptr;
  PanelRow row = {sums,
                  y,
                  factors.scales,
                  has_start ? factors.start : kNoStart,
                  steps.sums * sizeof *sums,
                  steps.y,
                  has_start ? steps.start * sizeof(float) : 0,
                  rows};
  register PanelRow* at __asm__("r0") = &row;
  register uint32_t low __asm__("r1") = FourOf(bounds.low);
  register uint32_t high __asm__("r2") = FourOf(bounds.high);
  register size_t step __asm__("r4") = steps.outputs * sizeof *sums;
  register uint32_t limits __asm__("r6") = bounds.low != -128 || bounds.high != 127;
  register int32_t zero __asm__("r12") = bounds.zero;
  // clang-format off
  __asm__ volatile(
      "vmov s12, s13, r1, r2\n\t"
      "vmov s14, r0\n\t"
      "add r5, r4, r4, lsl #1\n\t"
      "ldmia r0, {r0-r3}\n"
      "1:\n\t"
      "add lr, r1, #16\n"
      "2:\n\t"
      "ldr r8, [r0]\n\t"
      "ldr r9, [r0, r4]\n\t"
      "ldr r10, [r0, r4, lsl #1]\n\t"
      "ldr r11, [r0, r5]\n\t"
      "vldmia r2!, {s4-s7}\n\t"
      "vldmia r3!, {s8-s11}\n\t"
      "vmov s0, s1, r8, r9\n\t"
      "vmov s2, s3, r10, r11\n\t"
      WEFT_SCALE_FOUR
      "add r0, r0, r4, lsl #2\n\t"
      "vmov r8, r9, s0, s1\n\t"
      "vmov r10, r11, s2, s3\n\t"
      WEFT_JOIN_FOUR("r8", "r9", "r10", "r11", "r12")
      "cbz r6, 3f\n\t"
      "vmov r9, r10, s12, s13\n\t"
      WEFT_LIMIT_FOUR("r8", "r9", "r10", "r11")
      "3:\n\t"
      "str r8, [r1], #4\n\t"
      "cmp r1, lr\n\t"
      "bne 2b\n\t"
      "vmov r8, s14\n\t"
      "ldmia r8, {r0-r3}\n\t"
      "ldrd r9, r10, [r8, #16]\n\t"
      "ldrd r11, lr, [r8, #24]\n\t"
      "add r0, r9\n\t"
      "add r1, r10\n\t"
      "add r3, r11\n\t"
      "stmia r8, {r0-r3}\n\t"
      "subs lr, #1\n\t"
      "str lr, [r8, #28]\n\t"
      "bne 1b"
      : "+r"(at), "+r"(low), "+r"(high), "+r"(step), "+r"(limits), "+r"(zero)
      :
      : "cc", "memory", "r3", "r5", "r8", "r9", "r10", "r11", "lr", "s0", "s1", "s2", "s3", "s4",
        "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14");
  // clang-format on
  return !WasInvalid();
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
