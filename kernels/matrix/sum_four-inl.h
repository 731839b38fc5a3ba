// SPDX-License-Identifier: Apache-2.0
// Sums of four or eight adjacent outputs on the scalar target, for processors without an
// instruction that multiplies and adds several integers. Instructions per product: 2.3 on a
// Cortex-M3, 3.7 on a Cortex-M0+. Included only by sum_panel-inl.h, and only for this target: so
// without a guard.

#include "kernels/matrix/pack.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// A core with the instructions of a Cortex-M3.
#undef WEFT_MULTIPLIES_AND_ADDS
#if defined(__thumb2__) && defined(__GNUC__)
#define WEFT_MULTIPLIES_AND_ADDS
#endif

// Numbers of a row that are multiplied at a time, and maximum number of outputs that share them: as
// many as there are registers.
inline constexpr size_t kRowBlock = 4;
#if defined(WEFT_MULTIPLIES_AND_ADDS) || defined(__riscv)
inline constexpr size_t kSharedOutputs = 8;
#else
inline constexpr size_t kSharedOutputs = 4;
#endif

// Adds to kOutputs sums the products of kNumbers numbers of a block. Advances the number and the
// weights.
template <size_t kOutputs, size_t kNumbers, typename Number>
HWY_INLINE void AddNumbers(const Number*& q, const int8_t*& lines, uint32_t* of) {
  HWY_UNROLL(16)
  for (size_t i = 0; i < kNumbers; ++i) {
    const int32_t x = q[i];
    HWY_UNROLL(8)
    for (size_t n = 0; n < kOutputs; ++n) {
      of[n] += static_cast<uint32_t>(x * lines[n * kInputBlock + i]);
    }
    // Keeps the order of additions: GCC would compute one output after the other.
    __asm__("" : "+r"(of[0]), "+r"(of[1]), "+r"(of[2]), "+r"(of[3]));
    if constexpr (kOutputs == 8) {
      // And loads no weight of the next number, for which no register is left.
      __asm__("" : "+r"(of[4]), "+r"(of[5]), "+r"(of[6]), "+r"(of[7]), "+r"(lines));
    }
  }
  q += kNumbers;
  lines += kNumbers;
}

// The same for the numbers up to `end`, at least kRowBlock.
template <size_t kOutputs, typename Number>
HWY_INLINE void AddBlock(const Number*& q, const Number* end, const int8_t*& lines, uint32_t* of) {
#if defined(__ARM_ARCH_6M__)  // its loads have few offsets, so that each pass computes addresses
  if (end - q == static_cast<ptrdiff_t>(kInputBlock)) {
    return AddNumbers<kOutputs, kInputBlock>(q, lines, of);
  }
#endif
  do AddNumbers<kOutputs, kRowBlock>(q, lines, of);
  while (q != end);
}

#if defined(WEFT_MULTIPLIES_AND_ADDS)
// The compiler would need 3.2 instructions per product, with sums in memory.
// clang-format off
#define WEFT_ADD_OUTPUT(sum, at)        \
  "ldrsb %[w], [%[lines], #" at "]\n\t" \
  "mla " sum ", %[x], %[w], " sum "\n\t"
#define WEFT_ADD_NUMBER(load, a, b, c, d, e, f, g, h)                                 \
  load "\n\t"                                                                         \
  WEFT_ADD_OUTPUT("%0", a) WEFT_ADD_OUTPUT("%1", b) WEFT_ADD_OUTPUT("%2", c)          \
  WEFT_ADD_OUTPUT("%3", d) WEFT_ADD_OUTPUT("%4", e) WEFT_ADD_OUTPUT("%5", f)          \
  WEFT_ADD_OUTPUT("%6", g) WEFT_ADD_OUTPUT("%7", h)
#define WEFT_ADD_NUMBERS(load)                                                        \
  __asm__("1:\n\t"                                                                    \
          WEFT_ADD_NUMBER(load, "0", "16", "32", "48", "64", "80", "96", "112")       \
          WEFT_ADD_NUMBER(load, "1", "17", "33", "49", "65", "81", "97", "113")       \
          WEFT_ADD_NUMBER(load, "2", "18", "34", "50", "66", "82", "98", "114")       \
          WEFT_ADD_NUMBER(load, "3", "19", "35", "51", "67", "83", "99", "115")       \
          "adds %[lines], #4\n\t"                                                     \
          "cmp %[q], %[end]\n\t"                                                      \
          "bne 1b"                                                                    \
          : "+r"(of[0]), "+r"(of[1]), "+r"(of[2]), "+r"(of[3]), "+r"(of[4]),          \
            "+r"(of[5]), "+r"(of[6]), "+r"(of[7]), [q] "+r"(q), [lines] "+r"(lines),  \
            [x] "=&r"(x), [w] "=&r"(w)                                                \
          : [end] "r"(end)                                                            \
          : "cc", "memory")
// clang-format on
template <>
HWY_INLINE void AddBlock<8>(const int8_t*& q, const int8_t* end, const int8_t*& lines,
                            uint32_t* of) {
  uint32_t x, w;
  WEFT_ADD_NUMBERS("ldrsb %[x], [%[q]], #1");
}
template <>
HWY_INLINE void AddBlock<8>(const int16_t*& q, const int16_t* end, const int8_t*& lines,
                            uint32_t* of) {
  uint32_t x, w;
  WEFT_ADD_NUMBERS("ldrsh %[x], [%[q]], #2");
}
#undef WEFT_ADD_NUMBERS
#undef WEFT_ADD_NUMBER
#undef WEFT_ADD_OUTPUT
#endif

// Adds to kOutputs sums the products of `count` numbers, a positive multiple of kRowBlock. `lines`
// are the weights of the first block, as PackDenseI8 lays them out; `step` is the distance between
// blocks, in bytes.
template <size_t kOutputs, typename Number>
WEFT_PART void AddOutputs(const Number* q, size_t count, const int8_t* lines, size_t step,
                          int32_t* sums) {
  uint32_t of[kOutputs];
  HWY_UNROLL(8)
  for (size_t n = 0; n < kOutputs; ++n) of[n] = static_cast<uint32_t>(sums[n]);
  const Number* const end = q + count;
  for (;; lines += step - kInputBlock) {
    const Number* block = end;
    if (end - q > static_cast<ptrdiff_t>(kInputBlock)) block = q + kInputBlock;
    __asm__("" : "+r"(block));  // GCC would have a second loop for the last block
    AddBlock<kOutputs>(q, block, lines, of);
    if (q == end) break;
  }
  HWY_UNROLL(8)
  for (size_t n = 0; n < kOutputs; ++n) sums[n] = static_cast<int32_t>(of[n]);
}

#if defined(__ARM_ARCH_6M__) && defined(__GNUC__)
// The loads of this core have no constant offset, and only eight registers are operands of all
// instructions. Four pointers to weights share an index, and the sums are in high registers, which
// only additions reach. The compiler needs 5.0 instructions per product, this loop 3.6.
// Complete blocks are followed by an incomplete one.
// clang-format off
#undef WEFT_ADD_OUTPUT
#define WEFT_ADD_OUTPUT(lines, sum)     \
  "ldrsb r7, [" lines ", r5]\n\t"       \
  "muls r7, r6\n\t"                     \
  "add " sum ", r7\n\t"
#undef WEFT_ADD_NUMBER
#define WEFT_ADD_NUMBER                 \
  "ldrsb r6, [r0, r5]\n\t"              \
  WEFT_ADD_OUTPUT("r2", "r8")           \
  WEFT_ADD_OUTPUT("r1", "r9")           \
  WEFT_ADD_OUTPUT("r3", "r10")          \
  WEFT_ADD_OUTPUT("r4", "r11")          \
  "adds r5, #1\n\t"
// clang-format on

__attribute__((naked, noinline)) inline void AddFourBytes(const int8_t*, size_t, const int8_t*,
                                                          size_t, int32_t*) {
  static_assert(kInputBlock == 16 && kRowBlock == 4, "the loop below");
  __asm__(
      ".syntax unified\n\t"
      "push {r4-r7, lr}\n\t"
      "mov r4, r8\n\t"
      "mov r5, r9\n\t"
      "mov r6, r10\n\t"
      "mov r7, r11\n\t"
      "push {r4-r7}\n\t"
      "movs r6, #15\n\t"
      "ands r6, r1\n\t"
      "subs r1, r1, r6\n\t"
      "add r1, r0\n\t"
      "mov lr, r1\n\t"     // the end of the complete blocks
      "push {r3, r6}\n\t"  // the step, and the length of the incomplete block
      "ldr r7, [sp, #44]\n\t"
      "ldmia r7!, {r3-r6}\n\t"
      "mov r8, r3\n\t"
      "mov r9, r4\n\t"
      "mov r10, r5\n\t"
      "mov r11, r6\n\t"
      "movs r1, r2\n\t"
      "adds r1, #16\n\t"
      "movs r3, r2\n\t"
      "adds r3, #32\n\t"
      "movs r4, r2\n\t"
      "adds r4, #48\n\t"
      "movs r7, #16\n\t"
      "mov r12, r7\n\t"  // the length of a block
      "b 3f\n\t"
      "1:\n\t"
      "movs r5, #0\n\t"
      "2:\n\t"  //
      WEFT_ADD_NUMBER WEFT_ADD_NUMBER WEFT_ADD_NUMBER WEFT_ADD_NUMBER
      "cmp r5, r12\n\t"
      "bne 2b\n\t"
      "ldr r7, [sp]\n\t"
      "adds r2, r2, r7\n\t"
      "adds r1, r1, r7\n\t"
      "adds r3, r3, r7\n\t"
      "adds r4, r4, r7\n\t"
      "add r0, r12\n\t"
      "3:\n\t"
      "cmp r0, lr\n\t"
      "bne 1b\n\t"
      "ldr r7, [sp, #4]\n\t"
      "cmp r7, #0\n\t"
      "beq 4f\n\t"
      "mov r12, r7\n\t"
      "add lr, r7\n\t"
      "movs r7, #0\n\t"
      "str r7, [sp, #4]\n\t"
      "b 1b\n\t"
      "4:\n\t"
      "ldr r7, [sp, #44]\n\t"
      "mov r3, r8\n\t"
      "mov r4, r9\n\t"
      "mov r5, r10\n\t"
      "mov r6, r11\n\t"
      "stmia r7!, {r3-r6}\n\t"
      "add sp, #8\n\t"
      "pop {r4-r7}\n\t"
      "mov r8, r4\n\t"
      "mov r9, r5\n\t"
      "mov r10, r6\n\t"
      "mov r11, r7\n\t"
      "pop {r4-r7, pc}");
}
template <>
HWY_INLINE void AddOutputs<4>(const int8_t* q, size_t count, const int8_t* lines, size_t step,
                              int32_t* sums) {
  AddFourBytes(q, count, lines, step, sums);
}
#undef WEFT_ADD_NUMBER
#undef WEFT_ADD_OUTPUT
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
