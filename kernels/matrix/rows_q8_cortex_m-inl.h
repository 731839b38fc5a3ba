// SPDX-License-Identifier: Apache-2.0
// Sums of rows of levels on a Cortex-M: rows that share each load of weights, with all sums of a pass in
// core registers. Instructions per multiply-add: the DSP extension 0.97 of three rows and 1.34 of one,
// Helium 0.14 of two and 0.16 of one.

#if defined(WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
#endif

#include "kernels/matrix/results_q8-inl.h"
#include "kernels/matrix/sum_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Where the sums of a panel begin, those of a row so many behind those of the row before.
struct SumBegins {
  const int32_t* sums;
  size_t stride;
};

// Takes the integers that a whole panel of sums begins with from its factors.
HWY_INLINE SumBegins TakeFirst(FactorsQ8& factors, size_t outputs) {
  const int32_t* const first = factors.first;
  if (first == nullptr || outputs != kPanelOutputs) return {kNoFirst, 0};
  factors.first = nullptr;
  return {first, 0};
}

#if defined(__ARM_FEATURE_MVE)

inline constexpr size_t kRowsQ8 = 2;

// clang-format off
// Weights of one output with a block of each of two rows, or of two outputs with a block of one row.
#undef WEFT_TWO_ROWS
#define WEFT_TWO_ROWS(weights, offset, first, second) \
  "vldrb.u8 " weights ", [%[w]" offset "]\n\t"        \
  "vmladava.s8 %[" first "], q0, " weights "\n\t"     \
  "vmladava.s8 %[" second "], q1, " weights "\n\t"
#undef WEFT_TWO_OUTPUTS
#define WEFT_TWO_OUTPUTS(offset, next, first, second) \
  "vldrb.u8 q2, [%[w]" offset "]\n\t"                 \
  "vmladava.s8 %[" first "], q0, q2\n\t"              \
  "vldrb.u8 q3, [%[w]" next "]\n\t"                   \
  "vmladava.s8 %[" second "], q0, q3\n\t"
// clang-format on
#undef WEFT_EIGHT_SUMS
#define WEFT_EIGHT_SUMS(products)                                                               \
  __asm__ volatile("1:\n\t" products                                                            \
                   "add.w %[w], %[w], #256\n\t"                                                 \
                   "subs %[blocks], #1\n\t"                                                     \
                   "bne 1b"                                                                     \
                   : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [e] "+Te"(e),      \
                     [f] "+Te"(f), [g] "+Te"(g), [h] "+Te"(h), [x] "+r"(from), [o] "+r"(other), \
                     [w] "+r"(w), [blocks] "+r"(blocks)                                         \
                   :                                                                            \
                   : "cc", "memory", "q0", "q1", "q2", "q3")

// Adds the products of `count` levels of each row, eight sums at a time, all in even registers.
template <size_t kRows>
HWY_NOINLINE void AddLevels(const int8_t* x, size_t stride, size_t count, const int8_t* weights,
                            SumBegins begins, int32_t* sums) {
  static_assert(kRows == 1 || kRows == 2, "eight outputs of a row or four of two");
  constexpr size_t kOutputs = 8 / kRows;
  // Of the second half of the sums.
  const size_t begin = kRows == 1 ? 4 : begins.stride, end = kRows == 1 ? 4 : kPanelOutputs;
  const int8_t* const second = kRows == 1 ? x : x + stride;
  for (size_t n = 0; n < kPanelOutputs; n += kOutputs) {
    const int32_t* const low = begins.sums + n;
    const int32_t* const high = low + begin;
    int32_t a = low[0], b = low[1], c = low[2], d = low[3];
    int32_t e = high[0], f = high[1], g = high[2], h = high[3];
    const int8_t *from = x, *other = second, *w = weights + n * kInputBlock;
    size_t blocks = count / kInputBlock;
    if (blocks == 0) {
    } else if constexpr (kRows == 2) {
      WEFT_EIGHT_SUMS(
          "vldrb.u8 q0, [%[x]], #16\n\t"
          "vldrb.u8 q1, [%[o]], #16\n\t"  //
          WEFT_TWO_ROWS("q2", "", "a", "e") WEFT_TWO_ROWS("q3", ", #16", "b", "f")
              WEFT_TWO_ROWS("q2", ", #32", "c", "g") WEFT_TWO_ROWS("q3", ", #48", "d", "h"));
    } else {
      WEFT_EIGHT_SUMS("vldrb.u8 q0, [%[x]], #16\n\t"  //
                      WEFT_TWO_OUTPUTS("", ", #16", "a", "b") WEFT_TWO_OUTPUTS(
                          ", #32", ", #48", "c", "d") WEFT_TWO_OUTPUTS(", #64", ", #80", "e", "f")
                          WEFT_TWO_OUTPUTS(", #96", ", #112", "g", "h"));
    }
    int32_t *const to = sums + n, *const behind = to + end;
    to[0] = a, to[1] = b, to[2] = c, to[3] = d;
    behind[0] = e, behind[1] = f, behind[2] = g, behind[3] = h;
  }
}

template <size_t kRows>
HWY_INLINE void SumRows(const NumberRows<int8_t>& rows, const int8_t* weights,
                        const SumBegins& begins, int32_t* sums) {
  AddLevels<kRows>(rows.numbers, rows.stride, rows.count, weights, begins, sums);
  if (rows.tail == nullptr) return;
  AddLevels<kRows>(rows.tail, kInputBlock, kInputBlock, weights + kPanelOutputs * rows.count,
                   {sums, kPanelOutputs}, sums);
}

#else

inline constexpr size_t kRowsQ8 = 3;

// clang-format off
// Four weights of each of two outputs with four levels of each of three rows. SXTB16 takes bytes 0 and 2 of
// a word, or 1 and 3.
#undef WEFT_THREE_ROWS
#define WEFT_THREE_ROWS(first, second) \
  "ldr r10, [r1" first "]\n\t"         \
  "ldr r12, [r1, #" second "]\n\t"     \
  "sxtb16 r11, r10, ror #8\n\t"        \
  "sxtb16 r10, r10\n\t"                \
  "sxtb16 lr, r12, ror #8\n\t"         \
  "sxtb16 r12, r12\n\t"                \
  "ldrd r2, r3, [r0], #8\n\t"          \
  "smlad r4, r10, r2, r4\n\t"          \
  "smlad r7, r12, r2, r7\n\t"          \
  "smlad r4, r11, r3, r4\n\t"          \
  "smlad r7, lr, r3, r7\n\t"           \
  "ldrd r2, r3, [r0], #8\n\t"          \
  "smlad r5, r10, r2, r5\n\t"          \
  "smlad r8, r12, r2, r8\n\t"          \
  "smlad r5, r11, r3, r5\n\t"          \
  "smlad r8, lr, r3, r8\n\t"           \
  "ldrd r2, r3, [r0], #8\n\t"          \
  "smlad r6, r10, r2, r6\n\t"          \
  "smlad r9, r12, r2, r9\n\t"          \
  "smlad r6, r11, r3, r6\n\t"          \
  "smlad r9, lr, r3, r9\n\t"
// clang-format on

// Four levels of each of three rows as pairs, of the first and third and of the others.
struct ThreePairs {
  uint32_t pairs[3][2];
};
HWY_INLINE void WidenThree(const int8_t* x, size_t stride, ThreePairs& to) {
  for (size_t r = 0; r < 3; ++r) {
    uint32_t four;
    __builtin_memcpy(&four, x + r * stride, sizeof four);
    __asm__("sxtb16 %0, %1" : "=r"(to.pairs[r][0]) : "r"(four));
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(to.pairs[r][1]) : "r"(four));
  }
}
// As many as lie in memory at one time.
inline constexpr size_t kWidened = 64;

// Adds the products of `count` >= 16 widened levels of three rows: two outputs at a time, whose six sums
// stay in registers. s16 holds where the levels end and s17 where they begin, s18 where the sums go, which
// lie at a multiple of their 64 bytes, s19 where they come from and s20 how far one row's are from the
// next's, s21 how far weights of the next two outputs lie before the end. Every register is used: r7, which
// may be the frame's and cannot be asked for then, is kept in s22.
HWY_NOINLINE inline void AddThreeRows(const ThreePairs* levels, size_t count, const int8_t* panel,
                                      const SumBegins& begins, int32_t* to) {
  register const ThreePairs* x __asm__("r0") = levels;
  register const int8_t* weights __asm__("r1") = panel;
  register const ThreePairs* end __asm__("r2") = levels + count / 4;
  register int32_t* sums __asm__("r3") = to;
  register const int32_t* from __asm__("r4") = begins.sums;
  register size_t stride __asm__("r5") = begins.stride * sizeof(int32_t);
  register size_t back __asm__("r6") = count * kPanelOutputs - 2 * kInputBlock;
  __asm__ volatile(
      "vmov s22, r7\n\t"
      "vmov s16, s17, r2, r0\n\t"
      "vmov s18, s19, r3, r4\n\t"
      "vmov s20, s21, r5, r6\n"
      "1:\n\t"
      "vmov r2, r3, s19, s20\n\t"
      "vmov r0, s17\n\t"
      "ldrd r4, r7, [r2]\n\t"
      "add r2, r3\n\t"
      "ldrd r5, r8, [r2]\n\t"
      "add r2, r3\n\t"
      "ldrd r6, r9, [r2]\n"
      "2:\n\t"  //
      WEFT_THREE_ROWS("", "16") WEFT_THREE_ROWS(", #4", "20") WEFT_THREE_ROWS(", #8", "24")
          WEFT_THREE_ROWS(", #12", "28")
      "add r1, #256\n\t"
      "vmov r2, s16\n\t"
      "cmp r0, r2\n\t"
      "bne 2b\n\t"
      "vmov r2, r3, s18, s19\n\t"
      "strd r4, r7, [r2]\n\t"
      "strd r5, r8, [r2, #64]\n\t"
      "strd r6, r9, [r2, #128]\n\t"
      "add r2, #8\n\t"
      "add r3, #8\n\t"
      "vmov s18, s19, r2, r3\n\t"
      "vmov r3, s21\n\t"
      "sub r1, r3\n\t"
      "tst r2, #63\n\t"
      "bne 1b\n\t"
      "vmov r7, s22"
      : "+r"(x), "+r"(weights), "+r"(end), "+r"(sums), "+r"(from), "+r"(stride), "+r"(back)
      :
      : "cc", "memory", "r8", "r9", "r10", "r11", "r12", "lr", "s16", "s17", "s18", "s19", "s20",
        "s21", "s22");
}

// Three rows, widened a part at a time: anew for each panel where there are several parts.
HWY_NOINLINE inline void SumThreeRows(const NumberRows<int8_t>& rows, const int8_t* weights,
                                      SumBegins begins, int32_t* sums) {
  ThreePairs levels[kWidened / 4];
  const auto add = [&](const int8_t* x, size_t stride, size_t count) {
    for (size_t k = 0; k < count; k += 4) WidenThree(x + k, stride, levels[k / 4]);
    AddThreeRows(levels, count, weights, begins, sums);
    weights += count * kPanelOutputs;
    begins = {sums, kPanelOutputs};
  };
  const int8_t* x = rows.numbers;
  for (size_t left = rows.count; left != 0;) {
    const size_t count = left < kWidened ? left : kWidened;
    add(x, rows.stride, count);
    left -= count;
    x += count;
  }
  if (rows.tail != nullptr) add(rows.tail, kInputBlock, kInputBlock);
  if (begins.sums == sums) return;
  for (size_t i = 0; i < 3 * kPanelOutputs; ++i) sums[i] = begins.sums[i % kPanelOutputs];
}

template <size_t kRows>
HWY_INLINE void SumRows(const NumberRows<int8_t>& rows, const int8_t* weights,
                        const SumBegins& begins, int32_t* sums) {
  static_assert(kRows == 1 || kRows == 3, "rows by themselves or three at a time");
  if constexpr (kRows == 3) return SumThreeRows(rows, weights, begins, sums);
  __builtin_memcpy(sums, begins.sums, kPanelOutputs * sizeof *sums);
  SumBlocks<false>(rows.numbers, rows.count, weights, sums);
  if (rows.tail == nullptr) return;
  SumBlocks<false>(rows.tail, kInputBlock, weights + kPanelOutputs * rows.count, sums);
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_CORTEX_M_INL_H_
