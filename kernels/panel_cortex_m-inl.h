// SPDX-License-Identifier: Apache-2.0
// Sixteen sums at once on a Cortex-M with a scalar FPU, where no compiler loads eight weights with
// one instruction on its own: 24 instructions per 16 multiply-adds instead of 37. WEFT_ADDS_SIXTEEN
// says whether the target is one; the bits are those of Tile::Accumulate.

#if defined(WEFT_KERNELS_PANEL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
#endif

#include "kernels/vector-inl.h"

#undef WEFT_ADDS_SIXTEEN
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FEATURE_FMA) && \
    !defined(__ARM_FEATURE_MVE)
#define WEFT_ADDS_SIXTEEN 1
#else
#define WEFT_ADDS_SIXTEEN 0
#endif

#if WEFT_ADDS_SIXTEEN
namespace weft::kernels::HWY_NAMESPACE {

// sums[n] = fma(x[k * x_step], weights[k * weight_step + n], sums[n]) for n < 16 and k = 0 ..
// count - 1; count is at least 1.
inline void AddSixteen(float* sums, const float* x, size_t x_step, const float* weights,
                       size_t weight_step, size_t count) {
  constexpr size_t kPanelBytes = 16 * sizeof(float);
  const size_t x_step_bytes = x_step * sizeof(float);
  const size_t rest_bytes = weight_step * sizeof(float) - kPanelBytes;
  __asm__ volatile(
      "vldmia %[sums], {s0-s15}\n"
      "1:\n\t"
      "vldr s16, [%[x]]\n\t"
      "vldmia %[weights]!, {s24-s31}\n\t"
      "add %[x], %[x_step]\n\t"
      "vfma.f32 s0, s16, s24\n\t"
      "vfma.f32 s1, s16, s25\n\t"
      "vfma.f32 s2, s16, s26\n\t"
      "vfma.f32 s3, s16, s27\n\t"
      "vfma.f32 s4, s16, s28\n\t"
      "vfma.f32 s5, s16, s29\n\t"
      "vfma.f32 s6, s16, s30\n\t"
      "vfma.f32 s7, s16, s31\n\t"
      "vldmia %[weights]!, {s24-s31}\n\t"
      "subs %[count], #1\n\t"
      "vfma.f32 s8, s16, s24\n\t"
      "vfma.f32 s9, s16, s25\n\t"
      "vfma.f32 s10, s16, s26\n\t"
      "vfma.f32 s11, s16, s27\n\t"
      "vfma.f32 s12, s16, s28\n\t"
      "vfma.f32 s13, s16, s29\n\t"
      "vfma.f32 s14, s16, s30\n\t"
      "vfma.f32 s15, s16, s31\n\t"
      "add %[weights], %[rest]\n\t"
      "bne 1b\n\t"
      "vstmia %[sums], {s0-s15}"
      : [x] "+r"(x), [weights] "+r"(weights), [count] "+r"(count)
      : [sums] "r"(sums), [x_step] "r"(x_step_bytes), [rest] "r"(rest_bytes)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
        "s12", "s13", "s14", "s15", "s16", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31");
}

}  // namespace weft::kernels::HWY_NAMESPACE
#endif  // WEFT_ADDS_SIXTEEN

#endif  // WEFT_KERNELS_PANEL_CORTEX_M_INL_H_
