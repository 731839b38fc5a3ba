// SPDX-License-Identifier: Apache-2.0
// Sums of integers become floats on Cortex-M with a scalar FPU: eight at a time, which an instruction loads or
// stores.

#if defined(WEFT_KERNELS_MATRIX_FINISH_PANEL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_FINISH_PANEL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_FINISH_PANEL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_FINISH_PANEL_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/simd/vector-inl.h"

// s0 to s7 with one register, and with s8 to s15 each.
#undef WEFT_EIGHT_BY
#define WEFT_EIGHT_BY(op, x)                                                               \
  op " s0, s0, " x "\n\t" op " s1, s1, " x "\n\t" op " s2, s2, " x "\n\t" op " s3, s3, " x \
     "\n\t" op " s4, s4, " x "\n\t" op " s5, s5, " x "\n\t" op " s6, s6, " x "\n\t" op     \
     " s7, s7, " x "\n\t"
#undef WEFT_EIGHT_BY_EIGHT
#define WEFT_EIGHT_BY_EIGHT(op)                                                            \
  op " s0, s0, s8\n\t" op " s1, s1, s9\n\t" op " s2, s2, s10\n\t" op " s3, s3, s11\n\t" op \
     " s4, s4, s12\n\t" op " s5, s5, s13\n\t" op " s6, s6, s14\n\t" op " s7, s7, s15\n\t"
#undef WEFT_EIGHT_TO_FLOATS
#define WEFT_EIGHT_TO_FLOATS                                                                     \
  "vcvt.f32.s32 s0, s0\n\tvcvt.f32.s32 s1, s1\n\tvcvt.f32.s32 s2, s2\n\tvcvt.f32.s32 s3, s3\n\t" \
  "vcvt.f32.s32 s4, s4\n\tvcvt.f32.s32 s5, s5\n\tvcvt.f32.s32 s6, s6\n\tvcvt.f32.s32 s7, s7\n\t"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// y[i] = sums[i] * worth * scales[i] + start[i], every operation rounded by itself; y may be start.
HWY_NOINLINE inline void FinishPanelFrom(const int32_t* sums, float worth, const float* scales,
                                         const float* start, size_t outputs, float* y) {
  size_t eights = outputs / 8;
  if (eights != 0) {
    __asm__ volatile(
        "1:\n\t"
        "vldmia %[sums]!, {s0-s7}\n\t"
        "vldmia %[scales]!, {s8-s15}\n\t" WEFT_EIGHT_TO_FLOATS
        WEFT_EIGHT_BY("vmul.f32", "%[worth]") WEFT_EIGHT_BY_EIGHT("vmul.f32")
        "vldmia %[start]!, {s8-s15}\n\t" WEFT_EIGHT_BY_EIGHT("vadd.f32")
        "vstmia %[y]!, {s0-s7}\n\t"
        "subs %[eights], #1\n\t"
        "bne 1b"
        : [sums] "+r"(sums), [scales] "+r"(scales), [start] "+r"(start), [y] "+r"(y),
          [eights] "+r"(eights)
        : [worth] "t"(worth)
        : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
          "s12", "s13", "s14", "s15");
  }
  for (size_t i = 0; i < outputs % 8; ++i) {
    y[i] = static_cast<float>(sums[i]) * worth * scales[i] + start[i];
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_FINISH_PANEL_CORTEX_M_INL_H_
