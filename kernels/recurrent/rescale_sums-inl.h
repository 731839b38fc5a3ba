// SPDX-License-Identifier: Apache-2.0
// Products of many sums with factors on cores without the DSP extension: a Cortex-M3, and a
// Cortex-M0+, which only has products of 32 bits. Included only by lstm_q8-inl.h, and only for
// these cores: so without a guard.

#include "kernels/simd/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(__ARM_ARCH_7M__)

// Stores the sums of `count` products of x and of h, at least one, with factors that fit in
// SmallFactor. Limits products of h to kBits bits, and those of x and the sums to 16. The compiler
// would need 23 instructions per sum, with factors in memory. `right_x` also counts the sums.
template <size_t kBits>
HWY_INLINE void JoinProducts(const int32_t* x, const int32_t* h, const Multiplier& by_x,
                             const Multiplier& by_h, size_t count, int16_t* to) {
  const int32_t right_h = -by_h.exponent - 1;
  int32_t right_x = -by_x.exponent - 1;
  const int32_t half_x = 1 << (right_x - 1), half_h = 1 << (right_h - 1);
  right_x += static_cast<int32_t>(count - 1) << 8;
  int32_t of_x, of_h, low, sum;
  __asm__ volatile(
      ".syntax unified\n\t"
      "1:\n\t"
      "ldr %[sum], [%[x]], #4\n\t"
      "and %[low], %[sum], #0x80000000\n\t"
      "orr %[low], #0x40000000\n\t"
      "add %[of_x], %[half_x], %[sum], asr #31\n\t"
      "smlal %[low], %[of_x], %[sum], %[by_x]\n\t"
      "ldr %[sum], [%[h]], #4\n\t"
      "asr %[of_x], %[of_x], %[right_x]\n\t"
      "and %[low], %[sum], #0x80000000\n\t"
      "orr %[low], #0x40000000\n\t"
      "add %[of_h], %[half_h], %[sum], asr #31\n\t"
      "smlal %[low], %[of_h], %[sum], %[by_h]\n\t"
      "ssat %[of_x], #16, %[of_x]\n\t"
      "asr %[of_h], %[of_h], %[right_h]\n\t"
      "ssat %[of_h], %[bits], %[of_h]\n\t"
      "add %[of_h], %[of_x]\n\t"
      "ssat %[of_h], #16, %[of_h]\n\t"
      "strh %[of_h], [%[to]], #2\n\t"
      "subs %[right_x], #256\n\t"
      "bcs 1b\n\t"
      : [x] "+&r"(x), [h] "+&r"(h), [to] "+&r"(to), [right_x] "+&r"(right_x), [sum] "=&r"(sum),
        [low] "=&r"(low), [of_x] "=&r"(of_x), [of_h] "=&r"(of_h)
      : [half_x] "r"(half_x), [half_h] "r"(half_h), [by_x] "r"(by_x.mantissa),
        [by_h] "r"(by_h.mantissa), [right_h] "r"(right_h), [bits] "i"(kBits)
      : "cc", "memory");
}

#elif defined(__ARM_ARCH_6M__)

// A factor below 1, prepared for sums up to `limit` in magnitude, whose results fit in int16. A sum
// of at most 2^20 times a third of the mantissa fits in int32, and the thirds are added from the
// lowest one on: each shift drops bits that cannot change the result. In units of 2^21 the terms of
// SmallFactor are `half` and, for a negative sum, -2^10.
class FactorOfSums {
 public:
  explicit FactorOfSums(const Multiplier& by) : by_(by) {
    const int32_t right = -by.exponent;
    if (right < 1 || right > 17) return;
    shift_ = 10 + right;
    half_ = (1 << 9) + (1 << (9 + right));
    low_ = by.mantissa & 0x7FF;
    middle_ = by.mantissa >> 11 & 0x3FF;
    high_ = by.mantissa >> 21;
    limit_ = (1 << 20) - 64;
    // With the mantissa / 2^31 as m, results of 2^15 and more need sums of 2^(15 + right) / m,
    // which is at least 2^(15 + right) (2 - m).
    if (right < 5) {
      limit_ = (1 << (15 + right)) + ((0x7FFFFFFF - by.mantissa) >> (16 - right)) - 64;
    }
    range_ = 2 * limit_;
  }

  // Replaces `count` sums by their products with the factor, and applies `limited` to those that
  // may exceed int16.
  template <class Limited>
  HWY_INLINE void Rescale(int32_t* sum, size_t count, const Limited& limited) const {
    const int32_t* const end = sum + count;
    for (;; ++sum) {
      if (shift_ != 0) sum = RescaleWithin(sum, end, this);
      if (sum == end) return;
      ints::Store(limited(Beyond(ints::Load(sum, 1))), sum, 1);
    }
  }

 private:
  HWY_NOINLINE ints::Vec Beyond(ints::Vec sum) const { return ints::Rescaler(by_)(sum); }
  static int32_t* RescaleWithin(int32_t* sum, const int32_t* end, const FactorOfSums* factor);

  // In the order of their loads. The shift is 0 for factors that have no limit here.
  int32_t limit_, range_, half_, low_, middle_, high_, shift_ = 0;
  const Multiplier& by_;
};

// Stops before `end` at a sum beyond the limit and returns its position.
__attribute__((naked, noinline)) inline int32_t* FactorOfSums::RescaleWithin(int32_t*,
                                                                             const int32_t*,
                                                                             const FactorOfSums*) {
  __asm__(
      ".syntax unified\n\t"
      "push {r4-r7, lr}\n\t"
      "mov r4, r8\n\t"
      "mov r5, r9\n\t"
      "push {r4, r5}\n\t"
      "mov r12, r1\n\t"
      "ldmia r2!, {r3, r4, r5}\n\t"
      "mov r8, r3\n\t"
      "mov lr, r4\n\t"
      "mov r9, r5\n\t"
      "ldmia r2!, {r4-r7}\n\t"
      "b 2f\n\t"
      "1:\n\t"
      "ldr r1, [r0]\n\t"
      "movs r2, r1\n\t"
      "add r2, r8\n\t"
      "cmp r2, lr\n\t"
      "bhi 3f\n\t"
      "movs r2, r1\n\t"
      "muls r2, r4\n\t"
      "asrs r2, #11\n\t"
      "movs r3, r1\n\t"
      "muls r3, r5\n\t"
      "adds r2, r2, r3\n\t"
      "asrs r2, #10\n\t"
      "asrs r3, r1, #31\n\t"
      "lsls r3, #10\n\t"
      "muls r1, r6\n\t"
      "adds r1, r1, r2\n\t"
      "adds r1, r1, r3\n\t"
      "add r1, r9\n\t"
      "asrs r1, r7\n\t"
      "stmia r0!, {r1}\n\t"
      "2:\n\t"
      "cmp r0, r12\n\t"
      "bne 1b\n\t"
      "3:\n\t"
      "pop {r4, r5}\n\t"
      "mov r8, r4\n\t"
      "mov r9, r5\n\t"
      "pop {r4-r7, pc}");
}

// Stores the sums of `count` pairs of a and b, at least one, limited to 16 bits. The compiler would
// need 13 instructions per pair, this loop 10.
HWY_INLINE void AddLimited(const int32_t* a, const int32_t* b, size_t count, int16_t* to) {
  const int32_t* const end = a + count;
  int32_t sum, limited;
  __asm__ volatile(
      ".syntax unified\n\t"
      "1:\n\t"
      "ldmia %[a]!, {%[sum]}\n\t"
      "ldmia %[b]!, {%[limited]}\n\t"
      "adds %[sum], %[sum], %[limited]\n\t"
      "sxth %[limited], %[sum]\n\t"
      "cmp %[limited], %[sum]\n\t"
      "bne 3f\n\t"
      "2:\n\t"
      "strh %[limited], [%[to]]\n\t"
      "adds %[to], #2\n\t"
      "cmp %[a], %[end]\n\t"
      "bne 1b\n\t"
      "b 4f\n\t"
      "3:\n\t"
      "asrs %[limited], %[sum], #31\n\t"
      "eors %[limited], %[max]\n\t"
      "b 2b\n\t"
      "4:\n\t"
      : [a] "+&l"(a), [b] "+&l"(b), [to] "+&l"(to), [sum] "=&l"(sum), [limited] "=&l"(limited)
      : [max] "l"(0x7FFF), [end] "r"(end)
      : "cc", "memory");
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
