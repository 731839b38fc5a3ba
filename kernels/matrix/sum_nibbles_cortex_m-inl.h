// SPDX-License-Identifier: Apache-2.0
// Sums of 16 outputs with 4-bit weights as PackDenseU4 lays them out, on a Cortex-M whose
// instructions multiply and add neighbours. Each sum stays in its register until its last product.
// Instructions per multiply-add and per four sums: Helium 0.28 and 14, DSP extension 1.19 and 11.

#if defined(WEFT_KERNELS_MATRIX_SUM_NIBBLES_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_SUM_NIBBLES_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_SUM_NIBBLES_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_SUM_NIBBLES_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Sums of 16 outputs for a row of `count` numbers in the order of PositionInRow; count is a
// positive multiple of the block. Both pointers are aligned to 4 bytes. Processes two lines of
// weights at a time, which are four outputs.
#if defined(__ARM_FEATURE_MVE)

// clang-format off
// Weights of two outputs, with the lower bytes of numbers, unsigned, in q0 and the upper bytes in
// q1.
#undef WEFT_LINE_OF_NIBBLES
#define WEFT_LINE_OF_NIBBLES(low, low_upper, high, high_upper, step)  \
  "vldrb.u8 q2, [r3], #" step "\n\t"                                  \
  "vand q3, q2, q4\n\t"                                               \
  "vshr.u8 q2, q2, #4\n\t"                                            \
  "vmladava.u8 " low ", q3, q0\n\t"                                   \
  "vmladava.s8 " low_upper ", q3, q1\n\t"                             \
  "vmladava.u8 " high ", q2, q0\n\t"                                  \
  "vmladava.s8 " high_upper ", q2, q1\n\t"
// clang-format on

// Registers:
//   r1   the row           s20  the begin of the row
//   r3   the weights       s21  distance back from the end of a line to the line after the next
//   r5   the end of r1     s22, s23  zeros
//   r9   the end of the first half of the sums
//   r11  the sums
HWY_NOINLINE inline void SumNibbles(const int16_t* q, size_t count, const uint8_t* packed,
                                    int32_t* sums) {
  register const int16_t* x __asm__("r1") = q;
  register const uint8_t* weights __asm__("r3") = packed;
  register const int16_t* end __asm__("r5") = q + count;
  register int32_t* to __asm__("r11") = sums;
  register size_t back __asm__("r9") = count * (kPanelOutputs / 2) - 2 * kInputBlock;
  __asm__ volatile(
      "vmov.i8 q4, #15\n\t"
      "movs r2, #0\n\t"
      "vmov s20, s21, %[x], %[back]\n\t"
      "vmov s22, s23, r2, r2\n\t"
      "add %[back], %[to], #32\n"
      "1:\n\t"
      "vmov r0, r2, s22, s23\n\t"
      "vmov r4, r6, s22, s23\n\t"
      "vmov r8, r10, s22, s23\n\t"
      "vmov r12, lr, s22, s23\n"
      "2:\n\t"
      "vld20.8 {q0, q1}, [r1]\n\t"
      "vld21.8 {q0, q1}, [r1]!\n\t"  //
      WEFT_LINE_OF_NIBBLES("r0", "r2", "r4", "r6", "16")
          WEFT_LINE_OF_NIBBLES("r8", "r10", "r12", "lr", "112")
      "cmp r1, r5\n\t"
      "bne 2b\n\t"
      "add r0, r0, r2, lsl #8\n\t"
      "add r4, r4, r6, lsl #8\n\t"
      "add r8, r8, r10, lsl #8\n\t"
      "add r12, r12, lr, lsl #8\n\t"
      "strd r4, r12, [r11, #32]\n\t"
      "strd r0, r8, [r11], #8\n\t"
      "vmov r1, r2, s20, s21\n\t"
      "subs r3, r3, r2\n\t"
      "cmp r11, r9\n\t"
      "bne 1b"
      : [x] "+r"(x), [weights] "+r"(weights), [end] "+r"(end), [to] "+r"(to), [back] "+r"(back)
      :
      : "cc", "memory", "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q3",
        "q4", "q5");
}

#else

// clang-format off
// Eight weights of two outputs with the numbers in r2 to r5; advances the weights by `step` bytes.
#undef WEFT_FOUR_BYTES_OF_NIBBLES
#define WEFT_FOUR_BYTES_OF_NIBBLES(bytes, low, high, x, y)  \
  "and lr, r7, " bytes "\n\t"                               \
  "smlad " low ", lr, " x ", " low "\n\t"                   \
  "and lr, r7, " bytes ", lsr #8\n\t"                       \
  "smlad " low ", lr, " y ", " low "\n\t"                   \
  "and lr, r7, " bytes ", lsr #4\n\t"                       \
  "smlad " high ", lr, " x ", " high "\n\t"                 \
  "and lr, r7, " bytes ", lsr #12\n\t"                      \
  "smlad " high ", lr, " y ", " high "\n\t"
#undef WEFT_LINE_OF_NIBBLES
#define WEFT_LINE_OF_NIBBLES(low, high, step)                 \
  "ldrd r11, r12, [r1], #" step "\n\t"                        \
  WEFT_FOUR_BYTES_OF_NIBBLES("r11", low, high, "r2", "r3")    \
  WEFT_FOUR_BYTES_OF_NIBBLES("r12", low, high, "r4", "r5")
#undef WEFT_HALF_BLOCK_OF_NIBBLES
#define WEFT_HALF_BLOCK_OF_NIBBLES(step)    \
  "ldmia r0!, {r2-r5}\n\t"                  \
  WEFT_LINE_OF_NIBBLES("r6", "r8", "16")    \
  WEFT_LINE_OF_NIBBLES("r9", "r10", step)
// clang-format on

// Registers:
//   r0   the row           s0  the begin of the row
//   r1   the weights       s1  distance back from the end of a line to the line after the next
//   r7   mask of a nibble  s2  the end of the row
//        of bytes 0 and 2  s3  the end of the first half of the sums
//                          s4  the sums
//                          s5, s6  zeros
// s7 saves r7, which may be the frame pointer and then cannot be a clobber.
HWY_NOINLINE inline void SumNibbles(const int16_t* q, size_t count, const uint8_t* packed,
                                    int32_t* sums) {
  register const int16_t* x __asm__("r0") = q;
  register const uint8_t* weights __asm__("r1") = packed;
  register const int16_t* end __asm__("r2") = q + count;
  register int32_t* to __asm__("r3") = sums;
  register size_t back __asm__("r4") = count * (kPanelOutputs / 2) - 2 * kInputBlock;
  __asm__ volatile(
      "vmov s7, r7\n\t"
      "mov r7, #0x000F000F\n\t"
      "vmov s0, s1, r0, r4\n\t"
      "add r4, r3, #32\n\t"
      "vmov s2, s3, r2, r4\n\t"
      "movs r2, #0\n\t"
      "vmov s4, s5, r3, r2\n\t"
      "vmov s6, r2\n"
      "1:\n\t"
      "vmov r6, r8, s5, s6\n\t"
      "vmov r9, r10, s5, s6\n"
      "2:\n\t"  //
      WEFT_HALF_BLOCK_OF_NIBBLES("-8") WEFT_HALF_BLOCK_OF_NIBBLES("104")
      "vmov lr, s2\n\t"
      "cmp r0, lr\n\t"
      "bne 2b\n\t"
      "vmov r2, r3, s3, s4\n\t"
      "vmov r0, r4, s0, s1\n\t"
      "strd r8, r10, [r3, #32]\n\t"
      "strd r6, r9, [r3], #8\n\t"
      "vmov s4, r3\n\t"
      "subs r1, r1, r4\n\t"
      "cmp r3, r2\n\t"
      "bne 1b\n\t"
      "vmov r7, s7"
      : "+r"(x), "+r"(weights), "+r"(end), "+r"(to), "+r"(back)
      :
      : "cc", "memory", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "s0", "s1", "s2", "s3",
        "s4", "s5", "s6", "s7");
}

// clang-format off
// The sums of two outputs, minus zero point * row sum; the zero points are bytes of a word.
#undef WEFT_LESS_ZEROS
#define WEFT_LESS_ZEROS(first, second, to)      \
  "ldrd %[a], %[b], [%[sums]], #8\n\t"          \
  "uxtb %[zero], %[zeros]" first "\n\t"         \
  "mls %[a], %[zero], %[of_row], %[a]\n\t"      \
  "uxtb %[zero], %[zeros]" second "\n\t"        \
  "mls %[b], %[zero], %[of_row], %[b]\n\t"      \
  "vmov " to ", %[a], %[b]\n\t"
// Scales, which need no alignment.
#undef WEFT_FOUR_HALVES
#define WEFT_FOUR_HALVES                        \
  "ldr %[a], [%[scales]], #4\n\t"               \
  "ldr %[b], [%[scales]], #4\n\t"               \
  "vmov s4, s5, %[a], %[b]\n\t"                 \
  "vcvtt.f32.f16 s7, s5\n\t"                    \
  "vcvtb.f32.f16 s6, s5\n\t"                    \
  "vcvtt.f32.f16 s5, s4\n\t"                    \
  "vcvtb.f32.f16 s4, s4\n\t"
#undef WEFT_FOUR_TIMES
#define WEFT_FOUR_TIMES(op, a, b, c, d)         \
  op " s0, " a "\n\t" op " s1, " b "\n\t" op " s2, " c "\n\t" op " s3, " d "\n\t"
#undef WEFT_SCALE_SUMS
#define WEFT_SCALE_SUMS(four_scales)                                                        \
  __asm__ volatile(                                                                         \
      "1:\n\t"                                                                              \
      "ldr %[zeros], [%[at]], #4\n\t"                                                       \
      WEFT_LESS_ZEROS("", ", ror #8", "s0, s1")                                             \
      WEFT_LESS_ZEROS(", ror #16", ", ror #24", "s2, s3")                                   \
      four_scales                                                                           \
      WEFT_FOUR_TIMES("vcvt.f32.s32", "s0", "s1", "s2", "s3")                               \
      WEFT_FOUR_TIMES("vmul.f32", "s0, s4", "s1, s5", "s2, s6", "s3, s7")                   \
      "vldmia %[before]!, {s4-s7}\n\t"                                                      \
      WEFT_FOUR_TIMES("vadd.f32", "s0, s4", "s1, s5", "s2, s6", "s3, s7")                   \
      "vstmia %[totals]!, {s0-s3}\n\t"                                                      \
      "cmp %[at], %[end]\n\t"                                                               \
      "bne 1b"                                                                              \
      : [sums] "+r"(sums), [at] "+r"(zeros), [scales] "+r"(scales), [before] "+r"(before),  \
        [totals] "+r"(totals), [zeros] "=&r"(four), [zero] "=&r"(zero), [a] "=&r"(a),       \
        [b] "=&r"(b)                                                                        \
      : [of_row] "r"(of_row), [end] "r"(end)                                                \
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7")
// clang-format on

// totals = before + (sums - zeros * of_row) * scales of 16 outputs, every float operation rounded
// separately.
template <typename Scale>
HWY_INLINE void ScaleSums(const int32_t* sums, int32_t of_row, const uint8_t* zeros,
                          const Scale* scales, const float* before, float* totals) {
  const uint8_t* const end = zeros + kPanelOutputs;
  uint32_t four, zero, a, b;
  if constexpr (sizeof(Scale) == sizeof(float)) {
    WEFT_SCALE_SUMS("vldmia %[scales]!, {s4-s7}\n\t");
  } else {
    WEFT_SCALE_SUMS(WEFT_FOUR_HALVES);
  }
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_SUM_NIBBLES_CORTEX_M_INL_H_
