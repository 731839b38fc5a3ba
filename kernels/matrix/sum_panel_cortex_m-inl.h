// SPDX-License-Identifier: Apache-2.0
// Sums of panels with the DSP extension of a Cortex-M, whose instructions multiply and add two
// pairs of int16 neighbours. Instructions per multiply-add: 1.24 with panels of 16 outputs, 1.5
// with narrow ones.

#if defined(WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"

// clang-format off
// Eight weights of one output with the numbers in r2 to r5; advances the weights by `step` bytes.
// SXTB16 widens bytes 0 and 2 of a word, or 1 and 3.
#undef WEFT_EIGHT_WEIGHTS
#define WEFT_EIGHT_WEIGHTS(sum, step)               \
  "ldrd r11, r12, [r1], #" step "\n\t"              \
  "sxtb16 lr, r11\n\t"                              \
  "smlad " sum ", lr, r2, " sum "\n\t"              \
  "sxtb16 r11, r11, ror #8\n\t"                     \
  "smlad " sum ", r11, r3, " sum "\n\t"             \
  "sxtb16 lr, r12\n\t"                              \
  "smlad " sum ", lr, r4, " sum "\n\t"              \
  "sxtb16 r12, r12, ror #8\n\t"                     \
  "smlad " sum ", r12, r5, " sum "\n\t"
#undef WEFT_HALF_BLOCK
#define WEFT_HALF_BLOCK(step)     \
  "ldmia r0!, {r2-r5}\n\t"        \
  WEFT_EIGHT_WEIGHTS("r6", "16")  \
  WEFT_EIGHT_WEIGHTS("r8", "16")  \
  WEFT_EIGHT_WEIGHTS("r9", "16")  \
  WEFT_EIGHT_WEIGHTS("r10", step)
// The same instruction for each of s0 to s7, with one operand or with eight.
#undef WEFT_EIGHT_BY
#define WEFT_EIGHT_BY(op, by)                                                             \
  op " s0, s0, " by "\n\t" op " s1, s1, " by "\n\t" op " s2, s2, " by "\n\t"              \
  op " s3, s3, " by "\n\t" op " s4, s4, " by "\n\t" op " s5, s5, " by "\n\t"              \
  op " s6, s6, " by "\n\t" op " s7, s7, " by "\n\t"
#undef WEFT_EIGHT_PAIRS
#define WEFT_EIGHT_PAIRS(op, a, b, c, d, e, f, g, h)                                      \
  op " s0, s0, " a "\n\t" op " s1, s1, " b "\n\t" op " s2, s2, " c "\n\t"                 \
  op " s3, s3, " d "\n\t" op " s4, s4, " e "\n\t" op " s5, s5, " f "\n\t"                 \
  op " s6, s6, " g "\n\t" op " s7, s7, " h "\n\t"
#undef WEFT_EIGHT_NUMBERS
#define WEFT_EIGHT_NUMBERS(op)                                                            \
  op " s0, s0\n\t" op " s1, s1\n\t" op " s2, s2\n\t" op " s3, s3\n\t"                    \
  op " s4, s4\n\t" op " s5, s5\n\t" op " s6, s6\n\t" op " s7, s7\n\t"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Panels of one row.
inline constexpr size_t kPanelsAtOnce = 4;

// Sets the sums of complete panels to 0.
HWY_INLINE void ClearSums(int32_t* sums, size_t panels) {
  const int32_t* const end = sums + panels * kPanelOutputs;
  while (sums != end) {
    HWY_UNROLL(8)
    for (size_t i = 0; i < 8; ++i) sums[i] = 0;
    sums += 8;
    __asm__("" : "+r"(sums));  // else the compiler calls memset
  }
}

inline constexpr int32_t kFourZeros[4] = {};

// sums = first + the products of a row in the order of PositionInRow, at least a block, for
// `panels` panels, at least one. First may be null or the sums. Sums are aligned to the 64 bytes of
// a panel, which gives the end condition. Four sums stay in registers until they are complete.
// Registers:
//   r0   the row           s0  the begin of the row
//   r1   the weights       s1  distance back to the weights of the next sums
//   r7   the end of r0     s2  the sums
//                          s3  first, s4 its step
//                          s5  the end of the sums
// s6 saves r7, which may be the frame pointer and then cannot be a clobber.
HWY_NOINLINE inline void SumRow(const int16_t* row, size_t padded, const int8_t* panel,
                                const int32_t* first, int32_t* to, size_t panels) {
  register const int16_t* q __asm__("r0") = row;
  register const int8_t* weights __asm__("r1") = panel;
  register const int16_t* end __asm__("r2") = row + padded;
  register int32_t* sums __asm__("r3") = to;
  register const int32_t* from __asm__("r4") = first == nullptr ? kFourZeros : first;
  register size_t step __asm__("r5") = first == nullptr ? 0 : sizeof kFourZeros;
  register int32_t* last __asm__("r6") = to + panels * kPanelOutputs;
  __asm__ volatile(
      "vmov s4, s5, r5, r6\n\t"
      "vmov s6, r7\n\t"
      "mov r7, r2\n\t"
      "subs r2, r2, r0\n\t"
      "lsls r2, r2, #3\n\t"
      "subs r2, #64\n\t"
      "vmov s0, s1, r0, r2\n"
      "1:\n\t"
      "ldmia r4, {r6, r8, r9, r10}\n\t"
      "add r4, r5\n\t"
      "vmov s2, s3, r3, r4\n"
      "2:\n\t"  //
      WEFT_HALF_BLOCK("-40") WEFT_HALF_BLOCK("200")
      "cmp r0, r7\n\t"
      "bne 2b\n\t"
      "vmov r0, r2, s0, s1\n\t"
      "vmov r3, r4, s2, s3\n\t"
      "vmov r5, s4\n\t"
      "stmia r3!, {r6, r8, r9, r10}\n\t"
      "subs r1, r1, r2\n\t"
      "tst r3, #63\n\t"
      "bne 1b\n\t"
      "add r1, r2\n\t"
      "subs r1, #192\n\t"
      "vmov r2, s5\n\t"
      "cmp r3, r2\n\t"
      "bne 1b\n\t"
      "vmov r7, s6"
      : "+r"(q), "+r"(weights), "+r"(end), "+r"(sums), "+r"(from), "+r"(step), "+r"(last)
      :
      : "cc", "memory", "r8", "r9", "r10", "r11", "r12", "lr", "s0", "s1", "s2", "s3", "s4", "s5",
        "s6");
}

// Number of panels of 16 outputs.
HWY_INLINE size_t WidePanels(size_t outputs) {
  return (outputs + kPanelOutputs / 2 - 1) / kPanelOutputs;
}

// clang-format off
// Four weights of one output.
#undef WEFT_FOUR_WEIGHTS
#define WEFT_FOUR_WEIGHTS(sum, from)                              \
  "ldr %[of_four], " from "\n\t"                                  \
  "sxtb16 %[wide], %[of_four]\n\t"                               \
  "smlad %[" sum "], %[wide], %[even], %[" sum "]\n\t"            \
  "sxtb16 %[of_four], %[of_four], ror #8\n\t"                    \
  "smlad %[" sum "], %[of_four], %[odd], %[" sum "]\n\t"
// clang-format on

// sums += the products of a row of `padded` numbers in the order of PositionInRow, for a panel of 4
// or 8 outputs. `step` is the distance in int16 numbers between groups of four numbers.
HWY_NOINLINE inline void SumNarrow(const int16_t* row, size_t step, size_t padded,
                                   const int8_t* weights, size_t width, int32_t* sums) {
  for (size_t n = 0; n < width; n += 4, weights += 4 * kInputBlock, sums += 4) {
    int32_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
    const int16_t* x = row;
    const int8_t* of_block = weights;
    for (size_t k = padded; k != 0; k -= kInputBlock, of_block += (width - 1) * kInputBlock) {
      HWY_UNROLL(4)
      for (size_t i = 0; i < kInputBlock; i += 4, x += step) {
        uint32_t even, odd, of_four, wide;
        __asm__ volatile(
            "ldrd %[even], %[odd], [%[x]]\n\t"  //
            WEFT_FOUR_WEIGHTS("a", "[%[weights]], #4") WEFT_FOUR_WEIGHTS("b", "[%[weights], #12]")
                WEFT_FOUR_WEIGHTS("c", "[%[weights], #28]")
                    WEFT_FOUR_WEIGHTS("d", "[%[weights], #44]")
            : [weights] "+r"(of_block), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d),
              [even] "=&r"(even), [odd] "=&r"(odd), [of_four] "=&r"(of_four), [wide] "=&r"(wide)
            : [x] "r"(x)
            : "memory");
      }
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
  }
}

// y = sums * worth * scales + start for the largest multiple of eight outputs, whose count is
// returned. Start may be null, or y. Five instructions per output.
HWY_NOINLINE inline size_t FinishEights(const int32_t* sums, float worth, const float* scales,
                                        const float* start, size_t outputs, float* y) {
  const size_t eights = outputs / 8 * 8;
  if (eights == 0) return 0;
  const float* const end = y + eights;
  constexpr float kNone = 0.0f;
  // clang-format off
  __asm__ volatile(
      "vmov.f32 s16, %[none]\n\t"
      "vmov.f32 s17, %[none]\n\t"
      "vmov.f32 s18, %[none]\n\t"
      "vmov.f32 s19, %[none]\n\t"
      "vmov.f32 s20, %[none]\n\t"
      "vmov.f32 s21, %[none]\n\t"
      "vmov.f32 s22, %[none]\n\t"
      "vmov.f32 s23, %[none]\n"
      "1:\n\t"
      "vldmia %[sums]!, {s0-s7}\n\t"
      "vldmia %[scales]!, {s8-s15}\n\t"
      "cbz %[start], 2f\n\t"
      "vldmia %[start]!, {s16-s23}\n"
      "2:\n\t"
      WEFT_EIGHT_NUMBERS("vcvt.f32.s32")
      WEFT_EIGHT_BY("vmul.f32", "%[worth]")
      WEFT_EIGHT_PAIRS("vmul.f32", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15")
      WEFT_EIGHT_PAIRS("vadd.f32", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23")
      "vstmia %[y]!, {s0-s7}\n\t"
      "cmp %[y], %[end]\n\t"
      "bne 1b"
      : [sums] "+r"(sums), [scales] "+r"(scales), [start] "+l"(start), [y] "+r"(y)
      : [end] "r"(end), [worth] "t"(worth), [none] "t"(kNone)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
        "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23");
  // clang-format on
  return eights;
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
