// SPDX-License-Identifier: Apache-2.0
// Sums of four or eight adjacent outputs on the scalar target, for processors without an
// instruction that multiplies and adds several integers. Instructions per product: 2.3 on a
// Cortex-M3, 3.8 on a Cortex-M0+. Included only by sum_panel-inl.h, and only for this target: so
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
static_assert(kInputBlock == 16 && kRowBlock == 4, "the loops in assembly below");

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

// Sums of a panel of `width` outputs, a multiple of kOutputs: `from` plus the products of `count`
// numbers, a positive multiple of kRowBlock. `weights` are those of the first block, as PackDenseI8
// lays them out. `to` may be `from`.
template <size_t kOutputs, typename Number>
WEFT_PART void AddOutputs(const Number* numbers, size_t count, const int8_t* weights, size_t width,
                          const int32_t* from, int32_t* to) {
  const size_t step = (width - 1) * kInputBlock;
  const Number* const end = numbers + count;
  const int32_t* const last = from + width;
  for (; from != last; from += kOutputs, to += kOutputs, weights += kOutputs * kInputBlock) {
    uint32_t of[kOutputs];
    HWY_UNROLL(8)
    for (size_t n = 0; n < kOutputs; ++n) of[n] = static_cast<uint32_t>(from[n]);
    const Number* q = numbers;
    const int8_t* lines = weights;
    for (;; lines += step) {
      const Number* block = end;
      if (end - q > static_cast<ptrdiff_t>(kInputBlock)) block = q + kInputBlock;
      __asm__("" : "+r"(block));  // GCC would have a second loop for the last block
      AddBlock<kOutputs>(q, block, lines, of);
      if (q == end) break;
    }
    HWY_UNROLL(8)
    for (size_t n = 0; n < kOutputs; ++n) to[n] = static_cast<int32_t>(of[n]);
  }
}

#if defined(WEFT_MULTIPLIES_AND_ADDS)
// The compiler would need 3.2 instructions per product, with sums in memory. Here the sums are in
// r4 to r11. In memory, from sp on: the numbers, the weights of the first block, `last`, the step
// between blocks, then what was pushed before, `from` and `to`.
// clang-format off
#undef WEFT_ADD_OUTPUT
#define WEFT_ADD_OUTPUT(sum, at)        \
  "ldrsb r12, [r2" at "\n\t"           \
  "mla " sum ", r3, r12, " sum "\n\t"
#undef WEFT_ADD_NUMBER
#define WEFT_ADD_NUMBER(load, a, b, c, d, e, f, g, h)                                 \
  load "\n\t"                                                                         \
  WEFT_ADD_OUTPUT("r4", a) WEFT_ADD_OUTPUT("r5", ", #" b "]")                         \
  WEFT_ADD_OUTPUT("r6", ", #" c "]") WEFT_ADD_OUTPUT("r7", ", #" d "]")               \
  WEFT_ADD_OUTPUT("r8", ", #" e "]") WEFT_ADD_OUTPUT("r9", ", #" f "]")               \
  WEFT_ADD_OUTPUT("r10", ", #" g "]") WEFT_ADD_OUTPUT("r11", ", #" h "]")
// The first load of weights advances their address. `shift` and `block` are for the size of a
// number: its logarithm, and that of a block in bytes.
#define WEFT_ADD_EIGHTS(Name, Number, load, shift, block)                                   \
  __attribute__((naked, noinline)) inline void Name(const Number*, size_t, const int8_t*,   \
                                                    size_t, const int32_t*, int32_t*) {     \
    __asm__(                                                                                \
        ".syntax unified\n\t"                                                               \
        "push {r4-r11, lr}\n\t"                                                             \
        "ldr r12, [sp, #36]\n\t"                                                            \
        "add lr, r0, r1, lsl #" shift "\n\t" /* the end of the numbers */                   \
        "add r4, r12, r3, lsl #2\n\t"                                                       \
        "lsls r5, r3, #4\n\t"                                                               \
        "subs r5, #16\n\t"                                                                  \
        "push {r0, r2, r4, r5}\n\t"                                                         \
        "1:\n\t"                                                                            \
        "ldmia r12!, {r4-r11}\n\t"                                                          \
        "str r12, [sp, #52]\n\t"                                                            \
        "add r1, r0, #" block "\n\t"                                                        \
        "cmp r1, lr\n\t"                                                                    \
        "bls 3f\n\t"                                                                        \
        "2:\n\t"                                                                            \
        "mov r1, lr\n\t"                                                                    \
        "3:\n\t"                                                                            \
        WEFT_ADD_NUMBER(load, "], #4", "12", "28", "44", "60", "76", "92", "108")           \
        WEFT_ADD_NUMBER(load, ", #-3]", "13", "29", "45", "61", "77", "93", "109")          \
        WEFT_ADD_NUMBER(load, ", #-2]", "14", "30", "46", "62", "78", "94", "110")          \
        WEFT_ADD_NUMBER(load, ", #-1]", "15", "31", "47", "63", "79", "95", "111")          \
        "cmp r0, r1\n\t"                                                                    \
        "bne 3b\n\t"                                                                        \
        "cmp r0, lr\n\t"                                                                    \
        "beq 4f\n\t"                                                                        \
        "ldr r12, [sp, #12]\n\t"                                                            \
        "add r2, r12\n\t"                                                                   \
        "add r1, r0, #" block "\n\t"                                                        \
        "cmp r1, lr\n\t"                                                                    \
        "bls 3b\n\t"                                                                        \
        "b 2b\n\t"                                                                          \
        "4:\n\t"                                                                            \
        "ldr r12, [sp, #56]\n\t"                                                            \
        "stmia r12!, {r4-r11}\n\t"                                                          \
        "str r12, [sp, #56]\n\t"                                                            \
        "ldmia sp, {r0, r2, r3}\n\t"                                                        \
        "adds r2, #128\n\t"                                                                 \
        "str r2, [sp, #4]\n\t"                                                              \
        "ldr r12, [sp, #52]\n\t"                                                            \
        "cmp r12, r3\n\t"                                                                   \
        "bne 1b\n\t"                                                                        \
        "add sp, #16\n\t"                                                                   \
        "pop {r4-r11, pc}");                                                                \
  }                                                                                         \
  template <>                                                                               \
  HWY_INLINE void AddOutputs<8>(const Number* numbers, size_t count, const int8_t* weights, \
                                size_t width, const int32_t* from, int32_t* to) {           \
    Name(numbers, count, weights, width, from, to);                                         \
  }
// clang-format on
WEFT_ADD_EIGHTS(AddEightsOfBytes, int8_t, "ldrsb r3, [r0], #1", "0", "16")
WEFT_ADD_EIGHTS(AddEightsOfShorts, int16_t, "ldrsh r3, [r0], #2", "1", "32")
#undef WEFT_ADD_EIGHTS
#undef WEFT_ADD_NUMBER
#undef WEFT_ADD_OUTPUT
#endif

#if defined(__ARM_ARCH_6M__) && defined(__GNUC__)
// The loads of this core have no constant offset, and only eight registers are operands of all
// instructions. Four pointers to weights share an index, and the sums are in high registers, which
// only additions reach. The compiler needs 5.0 instructions per product, this loop 3.6.
// Complete blocks are followed by an incomplete one.
// clang-format off
#undef WEFT_TO_HIGH
#define WEFT_TO_HIGH(a, b, c, d) \
  "mov r8, " a "\n\t" "mov r9, " b "\n\t" "mov r10, " c "\n\t" "mov r11, " d "\n\t"
#undef WEFT_FROM_HIGH
#define WEFT_FROM_HIGH(a, b, c, d) \
  "mov " a ", r8\n\t" "mov " b ", r9\n\t" "mov " c ", r10\n\t" "mov " d ", r11\n\t"
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

// In memory, from sp on: the distance from the end of a block to the next one, the length of the
// incomplete block, the numbers, the end of `from`, then what was pushed before, `from` and `to`.
// The index skips the weights of other outputs, so the address of the numbers is moved back.
__attribute__((naked, noinline)) inline void AddFourBytes(const int8_t*, size_t, const int8_t*,
                                                          size_t, const int32_t*, int32_t*) {
  __asm__(
      ".syntax unified\n\t"
      "push {r4-r7, lr}\n\t"
      WEFT_FROM_HIGH("r4", "r5", "r6", "r7")
      "push {r4-r7}\n\t"
      "ldr r6, [sp, #36]\n\t"
      "movs r5, r1\n\t"
      "movs r7, #15\n\t"
      "bics r1, r7\n\t"
      "subs r5, r5, r1\n\t"
      "muls r1, r3\n\t"
      "mov lr, r1\n\t"  // the index after the complete blocks
      "lsls r4, r3, #4\n\t"
      "subs r4, #16\n\t"
      "lsls r7, r3, #2\n\t"
      "adds r7, r7, r6\n\t"
      "push {r0, r7}\n\t"
      "push {r4, r5}\n\t"
      "1:\n\t"
      "ldmia r6!, {r1, r3, r4, r5}\n\t"
      "str r6, [sp, #52]\n\t"
      WEFT_TO_HIGH("r1", "r3", "r4", "r5")
      "movs r7, #16\n\t"
      "adds r1, r2, r7\n\t"
      "adds r3, r1, r7\n\t"
      "adds r4, r3, r7\n\t"
      "movs r5, #0\n\t"
      "b 4f\n\t"
      "2:\n\t"
      "adds r7, r7, r5\n\t"
      "mov r12, r7\n\t"  // the index after the block
      "3:\n\t"  //
      WEFT_ADD_NUMBER WEFT_ADD_NUMBER WEFT_ADD_NUMBER WEFT_ADD_NUMBER
      "cmp r5, r12\n\t"
      "bne 3b\n\t"
      "ldr r7, [sp]\n\t"
      "adds r5, r5, r7\n\t"
      "subs r0, r0, r7\n\t"
      "movs r7, #16\n\t"
      "4:\n\t"
      "cmp r5, lr\n\t"
      "blo 2b\n\t"
      "bhi 5f\n\t"  // after the incomplete block
      "ldr r7, [sp, #4]\n\t"
      "cmp r7, #0\n\t"
      "bne 2b\n\t"
      "5:\n\t"
      "ldr r7, [sp, #56]\n\t"
      WEFT_FROM_HIGH("r3", "r4", "r5", "r6")
      "stmia r7!, {r3-r6}\n\t"
      "str r7, [sp, #56]\n\t"
      "adds r2, #64\n\t"
      "ldr r0, [sp, #8]\n\t"
      "ldr r6, [sp, #52]\n\t"
      "ldr r7, [sp, #12]\n\t"
      "cmp r6, r7\n\t"
      "bne 1b\n\t"
      "add sp, #16\n\t"
      "pop {r4-r7}\n\t"
      WEFT_TO_HIGH("r4", "r5", "r6", "r7")
      "pop {r4-r7, pc}");
}
template <>
HWY_INLINE void AddOutputs<4>(const int8_t* q, size_t count, const int8_t* lines, size_t width,
                              const int32_t* from, int32_t* to) {
  AddFourBytes(q, count, lines, width, from, to);
}
#undef WEFT_ADD_NUMBER
#undef WEFT_ADD_OUTPUT
#undef WEFT_FROM_HIGH
#undef WEFT_TO_HIGH
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
