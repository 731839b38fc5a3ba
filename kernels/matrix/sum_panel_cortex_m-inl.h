// SPDX-License-Identifier: Apache-2.0
// Sums of 16 outputs on a Cortex-M, whose instructions multiply and add neighbours: Helium eight pairs of
// 16 bits, the DSP extension two. Instructions per multiply-add: Helium 0.31, the DSP extension 1.34.

#if defined(WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

// clang-format off
// An instruction a line.

// A word of four weights times four numbers, on the sum. SXTB16 takes bytes 0 and 2 of a word, or 1 and 3.
#undef WEFT_ADD_FOUR
#define WEFT_ADD_FOUR(weights, first, second)               \
  "sxtb16 %[x], " weights "\n\t"                            \
  "smlad %[sum], %[x], " first ", %[sum]\n\t"               \
  "sxtb16 " weights ", " weights ", ror #8\n\t"             \
  "smlad %[sum], " weights ", " second ", %[sum]\n\t"
// Sixteen weights of one output.
#undef WEFT_ADD_SIXTEEN
#define WEFT_ADD_SIXTEEN                \
  "ldrd r9, lr, [%[weights]], #8\n\t"   \
  "ldr %[sum], [%[sums]]\n\t"           \
  WEFT_ADD_FOUR("r9", "r7", "r3")       \
  WEFT_ADD_FOUR("lr", "r2", "r5")       \
  "ldrd r9, lr, [%[weights]], #8\n\t"   \
  WEFT_ADD_FOUR("r9", "r4", "r8")       \
  WEFT_ADD_FOUR("lr", "r6", "r10")      \
  "str %[sum], [%[sums]], #4\n\t"
#undef WEFT_FOUR_OUTPUTS
#define WEFT_FOUR_OUTPUTS WEFT_ADD_SIXTEEN WEFT_ADD_SIXTEEN WEFT_ADD_SIXTEEN WEFT_ADD_SIXTEEN
// Four numbers, which may lie anywhere, as words of two.
#undef WEFT_FOUR_BYTES
#define WEFT_FOUR_BYTES(first, second, word) \
  "ldr " word ", [%[x]], #4\n\t"             \
  "sxtb16 " first ", " word "\n\t"          \
  "sxtb16 " second ", " word ", ror #8\n\t"
#undef WEFT_SIXTEEN_BYTES
#define WEFT_SIXTEEN_BYTES            \
  WEFT_FOUR_BYTES("r7", "r3", "r3")   \
  WEFT_FOUR_BYTES("r2", "r5", "r5")   \
  WEFT_FOUR_BYTES("r4", "r8", "r8")   \
  WEFT_FOUR_BYTES("r6", "r10", "r10") \
  "vmov s16, %[x]\n\t"
#undef WEFT_NO_SUMS
#define WEFT_NO_SUMS                   \
  "movs r2, #0\n\t"                    \
  "movs r3, #0\n\t"                    \
  "strd r2, r3, [%[sums]]\n\t"         \
  "strd r2, r3, [%[sums], #8]\n\t"     \
  "strd r2, r3, [%[sums], #16]\n\t"    \
  "strd r2, r3, [%[sums], #24]\n\t"    \
  "strd r2, r3, [%[sums], #32]\n\t"    \
  "strd r2, r3, [%[sums], #40]\n\t"    \
  "strd r2, r3, [%[sums], #48]\n\t"    \
  "strd r2, r3, [%[sums], #56]\n\t"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(__ARM_FEATURE_MVE)

// Adds the products of a block of 16 numbers to the sums of one output.
HWY_INLINE int32_t AddBlock(int32_t sum, const int16_t* q, const int8_t* weights) {
  sum = vmladavaq_s16(sum, vldrhq_s16(q), vldrbq_s16(weights));
  return vmladavaq_s16(sum, vldrhq_s16(q + 8), vldrbq_s16(weights + 8));
}
HWY_INLINE int32_t AddBlock(int32_t sum, const int8_t* q, const int8_t* weights) {
  return vmladavaq_s8(sum, vldrbq_s8(q), vldrbq_s8(weights));
}

// Four outputs at a time, whose sums stay in core registers; they begin at 0, or where they are.
template <bool kBegins, typename Number>
WEFT_PART void SumBlocks(const Number* q, size_t padded, const int8_t* weights, int32_t* sums) {
  for (size_t n = 0; n < kPanelOutputs; n += 4, sums += 4, weights += 4 * kInputBlock) {
    int32_t a = kBegins ? 0 : sums[0], b = kBegins ? 0 : sums[1];
    int32_t c = kBegins ? 0 : sums[2], d = kBegins ? 0 : sums[3];
    const int8_t* block = weights;
    for (size_t k = 0; k < padded; k += kInputBlock, block += kPanelOutputs * kInputBlock) {
      a = AddBlock(a, q + k, block);
      b = AddBlock(b, q + k, block + kInputBlock);
      c = AddBlock(c, q + k, block + 2 * kInputBlock);
      d = AddBlock(d, q + k, block + 3 * kInputBlock);
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
  }
}

// Numbers are taken in their own order.
HWY_INLINE void ArrangeRow(int16_t*, size_t) {}

#else

// A row of whole blocks in the order in which instructions take the bytes of a word, 0 and 2, then 1 and 3: numbers
// lie as 0, 2, 1, 3.
HWY_NOINLINE inline void ArrangeRow(int16_t* q, size_t padded) {
  int16_t* const end = q + padded;
  if (padded == 0) return;
  uint32_t a, b, c, d, e, f;
  __asm__ volatile(
      "1:\n\t"
      "ldrd %[a], %[b], [%[q]]\n\t"
      "ldrd %[c], %[d], [%[q], #8]\n\t"
      "pkhbt %[e], %[a], %[b], lsl #16\n\t"
      "pkhtb %[b], %[b], %[a], asr #16\n\t"
      "pkhbt %[f], %[c], %[d], lsl #16\n\t"
      "pkhtb %[d], %[d], %[c], asr #16\n\t"
      "strd %[e], %[b], [%[q]], #8\n\t"
      "strd %[f], %[d], [%[q]], #8\n\t"
      "cmp %[q], %[end]\n\t"
      "bne 1b"
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [e] "=&r"(e), [f] "=&r"(f),
        [q] "+r"(q)
      : [end] "r"(end)
      : "cc", "memory");
}

// Sixteen numbers stay in eight registers for all outputs of their block; s16 holds where they go on,
// s17 where they end. The sums lie at a multiple of their 64 bytes, which tells when they are through.
// Every register is used: r7, which may be the frame's and cannot be asked for then, is kept in s18.
#undef WEFT_SUM_BLOCKS
#define WEFT_SUM_BLOCKS(no_sums)                                                             \
  __asm__ volatile(                                                                          \
      "vmov s18, r7\n\t"                                                                     \
      "vmov s17, %[sum]\n\t" no_sums                                                         \
      "b 3f\n"                                                                               \
      "1:\n\t" WEFT_SIXTEEN_BYTES "2:\n\t" WEFT_FOUR_OUTPUTS                                 \
      "tst %[sums], #63\n\t"                                                                 \
      "bne 2b\n\t"                                                                           \
      "vmov %[x], s16\n\t"                                                                   \
      "sub %[sums], #64\n"                                                                   \
      "3:\n\t"                                                                               \
      "vmov %[sum], s17\n\t"                                                                 \
      "cmp %[x], %[sum]\n\t"                                                                 \
      "bne 1b\n\t"                                                                           \
      "vmov r7, s18"                                                                         \
      : [x] "+r"(x), [weights] "+r"(weights), [sums] "+r"(sums), [sum] "+r"(sum)             \
      :                                                                                      \
      : "cc", "memory", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "lr", "s16", "s17", \
        "s18")

// Sums of 16 outputs, which begin at 0, or where they are; rows of i16 have RunOutputs and SumNibbles.
template <bool kBegins>
HWY_NOINLINE void SumBlocks(const int8_t* q, size_t padded, const int8_t* panel, int32_t* to) {
  register const int8_t* x __asm__("r0") = q;
  register const int8_t* weights __asm__("r1") = panel;
  register int32_t* sums __asm__("r12") = to;
  register const int8_t* sum __asm__("r11") = q + padded;  // holds a sum in the loop
  if constexpr (kBegins) {
    WEFT_SUM_BLOCKS(WEFT_NO_SUMS);
  } else {
    WEFT_SUM_BLOCKS("");
  }
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_SUM_PANEL_CORTEX_M_INL_H_
