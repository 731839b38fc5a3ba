// SPDX-License-Identifier: Apache-2.0
// Sums of four adjacent outputs on the scalar target, for processors without an instruction that
// multiplies and adds several integers. Instructions per product: 2.4 on a Cortex-M3, 3.7 on a
// Cortex-M0+. Included only by sum_panel-inl.h, and only for this target: so without a guard.

#include "kernels/matrix/pack.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Adds to four sums the products of `count` numbers, a positive multiple of kInputBlock. `lines`
// are the weights of the first block, as PackDenseI8 lays them out; `step` is the distance between
// blocks, in bytes.
template <typename Number>
WEFT_PART void AddFour(const Number* q, size_t count, const int8_t* lines, size_t step,
                       uint32_t* sums) {
  uint32_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
  for (const Number* const end = q + count;;) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 16
#endif
    for (size_t i = 0; i < kInputBlock; ++i) {
      const int32_t x = q[i];
      a += static_cast<uint32_t>(x * lines[i]);
      b += static_cast<uint32_t>(x * lines[kInputBlock + i]);
      c += static_cast<uint32_t>(x * lines[2 * kInputBlock + i]);
      d += static_cast<uint32_t>(x * lines[3 * kInputBlock + i]);
      // Keeps the order of additions: GCC would compute one output after the other.
      __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    }
    q += kInputBlock;
    if (q == end) break;
    lines += step;
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

#if defined(__ARM_ARCH_6M__) && defined(__GNUC__)
// The loads of this core have no constant offset, and only eight registers are operands of all
// instructions. Four pointers to weights share an index, and the sums are in high registers, which
// only additions reach. The compiler needs 5.0 instructions per product, this loop 3.6.
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
                                                          size_t, uint32_t*) {
  static_assert(kInputBlock == 16, "the loop below");
  __asm__(
      ".syntax unified\n\t"
      "push {r4-r7, lr}\n\t"
      "mov r4, r8\n\t"
      "mov r5, r9\n\t"
      "mov r6, r10\n\t"
      "mov r7, r11\n\t"
      "push {r4-r7}\n\t"
      "mov r12, r3\n\t"  // the step
      "add r1, r0\n\t"
      "mov lr, r1\n\t"  // the end of the numbers
      "ldr r7, [sp, #36]\n\t"
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
      "1:\n\t"
      "movs r5, #0\n\t"
      "2:\n\t"  //
      WEFT_ADD_NUMBER WEFT_ADD_NUMBER WEFT_ADD_NUMBER WEFT_ADD_NUMBER
      "cmp r5, #16\n\t"
      "bne 2b\n\t"
      "add r2, r12\n\t"
      "add r1, r12\n\t"
      "add r3, r12\n\t"
      "add r4, r12\n\t"
      "adds r0, #16\n\t"
      "cmp r0, lr\n\t"
      "bne 1b\n\t"
      "ldr r7, [sp, #36]\n\t"
      "mov r3, r8\n\t"
      "mov r4, r9\n\t"
      "mov r5, r10\n\t"
      "mov r6, r11\n\t"
      "stmia r7!, {r3-r6}\n\t"
      "pop {r4-r7}\n\t"
      "mov r8, r4\n\t"
      "mov r9, r5\n\t"
      "mov r10, r6\n\t"
      "mov r11, r7\n\t"
      "pop {r4-r7, pc}");
}
template <>
HWY_INLINE void AddFour(const int8_t* q, size_t count, const int8_t* lines, size_t step,
                        uint32_t* sums) {
  AddFourBytes(q, count, lines, step, sums);
}
#undef WEFT_ADD_NUMBER
#undef WEFT_ADD_OUTPUT
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
