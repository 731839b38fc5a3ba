// SPDX-License-Identifier: Apache-2.0
// The loops of integer_rows-inl.h over eight numbers at a time, for a Cortex-M with the DSP
// extension and a scalar FPU. Included only by that file. Instructions per number: 3.8 for the
// maximum, 3.6 for rounding.

#if defined(WEFT_KERNELS_MATRIX_INTEGER_ROWS_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_INTEGER_ROWS_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_INTEGER_ROWS_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_INTEGER_ROWS_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/simd/vector-inl.h"

// clang-format off
#undef WEFT_GREATER
#define WEFT_GREATER(number)                    \
  "cmp %[greatest], " number ", lsl #1\n\t"     \
  "it lo\n\t"                                   \
  "lsllo %[greatest], " number ", #1\n\t"
#undef WEFT_FOUR_GREATER
#define WEFT_FOUR_GREATER                                                       \
  "ldrd %[a], %[b], [%[x]], #8\n\t" WEFT_GREATER("%[a]") WEFT_GREATER("%[b]")   \
  "ldrd %[a], %[b], [%[x]], #8\n\t" WEFT_GREATER("%[a]") WEFT_GREATER("%[b]")
#undef WEFT_ROUND_EIGHT
#define WEFT_ROUND_EIGHT(op, by)                                                          \
  op " s0, s0, " by "\n\t" op " s1, s1, " by "\n\t" op " s2, s2, " by "\n\t"              \
  op " s3, s3, " by "\n\t" op " s4, s4, " by "\n\t" op " s5, s5, " by "\n\t"              \
  op " s6, s6, " by "\n\t" op " s7, s7, " by "\n\t"
// The lower halves of four numbers, with the second and the third exchanged.
#undef WEFT_STORE_FOUR
#define WEFT_STORE_FOUR(first, second)            \
  "vmov %[a], %[b], " first "\n\t"                \
  "vmov %[c], %[d], " second "\n\t"               \
  "pkhbt %[a], %[a], %[c], lsl #16\n\t"          \
  "pkhbt %[b], %[b], %[d], lsl #16\n\t"          \
  "strd %[a], %[b], [%[q]], #8\n\t"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The maximum of `largest` and twice the bits of each number.
HWY_INLINE uint32_t MaxOfEights(const float* x, size_t eights, uint32_t largest) {
  if (eights == 0) return largest;
  uint32_t a, b;
  __asm__ volatile(
      "1:\n\t" WEFT_FOUR_GREATER WEFT_FOUR_GREATER
      "subs %[eights], #1\n\t"
      "bne 1b"
      : [greatest] "+r"(largest), [x] "+r"(x), [eights] "+r"(eights), [a] "=&r"(a), [b] "=&r"(b)
      :
      : "cc", "memory");
  return largest;
}

// q = the lower halves of x * factor + rounder, in the order of PositionInRow; q is aligned to 4
// bytes.
HWY_INLINE void RoundEights(const float* x, float factor, float rounder, size_t eights,
                            int16_t* q) {
  if (eights == 0) return;
  uint32_t a, b, c, d;
  __asm__ volatile(
      "1:\n\t"
      "vldmia %[x]!, {s0-s7}\n\t"  //
      WEFT_ROUND_EIGHT("vmul.f32", "%[factor]") WEFT_ROUND_EIGHT("vadd.f32", "%[rounder]")
          WEFT_STORE_FOUR("s0, s1", "s2, s3") WEFT_STORE_FOUR("s4, s5", "s6, s7")
      "subs %[eights], #1\n\t"
      "bne 1b"
      : [q] "+r"(q), [x] "+r"(x), [eights] "+r"(eights), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
      : [factor] "t"(factor), [rounder] "t"(rounder)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7");
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_INTEGER_ROWS_CORTEX_M_INL_H_
