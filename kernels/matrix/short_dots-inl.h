// SPDX-License-Identifier: Apache-2.0
// Dot products of rows of int16 on a board: four at a time, with the instructions for two products
// (SMLAD) or for eight (Helium) if the core has them. Sums wrap around.

#if defined(WEFT_KERNELS_MATRIX_SHORT_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_SHORT_DOTS_INL_H_
#undef WEFT_KERNELS_MATRIX_SHORT_DOTS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_SHORT_DOTS_INL_H_
#endif

#include "kernels/integer.h"
#include "kernels/simd/vector-inl.h"

#undef WEFT_HELIUM_SHORTS
#undef WEFT_DSP_SHORTS
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
#include <arm_mve.h>
#define WEFT_HELIUM_SHORTS
#endif

#if HWY_TARGET == HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(WEFT_HELIUM_SHORTS)

inline constexpr size_t kShortLanes = 8;
using Shorts = int16x8_t;
HWY_INLINE Shorts LoadShorts(const int16_t* p) { return vld1q_s16(p); }
HWY_INLINE Shorts LoadFirstShorts(const int16_t* p, size_t count) {
  return vldrhq_z_s16(p, vctp16q(static_cast<uint32_t>(count)));
}
HWY_INLINE int32_t AddProducts(int32_t sum, Shorts a, Shorts b) { return vmladavaq_s16(sum, a, b); }

#elif defined(__ARM_FEATURE_DSP)

#define WEFT_DSP_SHORTS
inline constexpr size_t kShortLanes = 2;
using Shorts = uint32_t;
HWY_INLINE Shorts LoadShorts(const int16_t* p) {
  Shorts pair;
  __builtin_memcpy(&pair, p, sizeof(pair));
  return pair;
}
HWY_INLINE Shorts LoadFirstShorts(const int16_t* p, size_t) { return static_cast<uint16_t>(*p); }
HWY_INLINE int32_t AddProducts(int32_t sum, Shorts a, Shorts b) {
  __asm__("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

#else

inline constexpr size_t kShortLanes = 1;
using Shorts = int32_t;
HWY_INLINE Shorts LoadShorts(const int16_t* p) { return *p; }
HWY_INLINE Shorts LoadFirstShorts(const int16_t* p, size_t) { return *p; }
HWY_INLINE int32_t AddProducts(int32_t sum, Shorts a, Shorts b) { return WrappingAdd(sum, a * b); }

#endif

#if defined(WEFT_DSP_SHORTS)

// In assembly, because GCC does not choose loads that advance a pointer.
#define WEFT_NEXT_PAIRS(x, y, v, w) \
  "ldr " v ", [" x                  \
  "], #4\n\t"                       \
  "ldr " w ", [" y "], #4\n\t"
#define WEFT_SHORTS_TWO_BY_TWO                        \
  WEFT_NEXT_PAIRS("%[a0]", "%[a1]", "%[v0]", "%[v1]") \
  WEFT_NEXT_PAIRS("%[b0]", "%[b1]", "%[w0]", "%[w1]") \
  "smlad %[s00], %[v0], %[w0], %[s00]\n\t"            \
  "smlad %[s01], %[v0], %[w1], %[s01]\n\t"            \
  "smlad %[s10], %[v1], %[w0], %[s10]\n\t"            \
  "smlad %[s11], %[v1], %[w1], %[s11]\n\t"
#define WEFT_SHORTS_ONE_BY_FOUR \
  "ldr %[v], [%[a]], #4\n\t"                         \
  WEFT_NEXT_PAIRS("%[b0]", "%[b1]", "%[w0]", "%[w1]") \
  "smlad %[s00], %[v], %[w0], %[s00]\n\t"            \
  "smlad %[s01], %[v], %[w1], %[s01]\n\t"            \
  WEFT_NEXT_PAIRS("%[b2]", "%[b3]", "%[w0]", "%[w1]") \
  "smlad %[s10], %[v], %[w0], %[s10]\n\t"            \
  "smlad %[s11], %[v], %[w1], %[s11]\n\t"
#define WEFT_SHORTS_LOOP(two_steps) \
  "1:\n\t" two_steps two_steps two_steps two_steps "subs %[eights], #1\n\tbne 1b\n\t"

#endif

struct FourSums {
  int32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0;
};

// Adds the products of two rows of a with two rows of b.
HWY_INLINE void AddTwoByTwo(const int16_t* a0, const int16_t* a1, const int16_t* b0,
                            const int16_t* b1, size_t count, FourSums& sums) {
  int32_t s00 = sums.s00, s01 = sums.s01, s10 = sums.s10, s11 = sums.s11;
  const auto add = [&](Shorts v0, Shorts v1, Shorts w0, Shorts w1) WEFT_ALWAYS_INLINE {
    s00 = AddProducts(s00, v0, w0);
    s01 = AddProducts(s01, v0, w1);
    s10 = AddProducts(s10, v1, w0);
    s11 = AddProducts(s11, v1, w1);
  };
#if defined(WEFT_DSP_SHORTS)
  if (size_t eights = count / 8) {
    Shorts v0, v1, w0, w1;
    __asm__ volatile(WEFT_SHORTS_LOOP(WEFT_SHORTS_TWO_BY_TWO)
                     : [a0] "+r"(a0), [a1] "+r"(a1), [b0] "+r"(b0), [b1] "+r"(b1), [s00] "+r"(s00),
                       [s01] "+r"(s01), [s10] "+r"(s10), [s11] "+r"(s11), [v0] "=&r"(v0),
                       [v1] "=&r"(v1), [w0] "=&r"(w0), [w1] "=&r"(w1), [eights] "+r"(eights)
                     :
                     : "cc", "memory");
  }
  count %= 8;
#else
  for (; count >= 2 * kShortLanes; count -= 2 * kShortLanes) {
    add(LoadShorts(a0), LoadShorts(a1), LoadShorts(b0), LoadShorts(b1));
    add(LoadShorts(a0 + kShortLanes), LoadShorts(a1 + kShortLanes), LoadShorts(b0 + kShortLanes),
        LoadShorts(b1 + kShortLanes));
    a0 += 2 * kShortLanes, a1 += 2 * kShortLanes;
    b0 += 2 * kShortLanes, b1 += 2 * kShortLanes;
  }
#endif
  for (; count >= kShortLanes; count -= kShortLanes) {
    add(LoadShorts(a0), LoadShorts(a1), LoadShorts(b0), LoadShorts(b1));
    a0 += kShortLanes, a1 += kShortLanes, b0 += kShortLanes, b1 += kShortLanes;
  }
  if (count != 0) {
    add(LoadFirstShorts(a0, count), LoadFirstShorts(a1, count), LoadFirstShorts(b0, count),
        LoadFirstShorts(b1, count));
  }
  sums = {s00, s01, s10, s11};
}

// Adds the products of one row of a with four rows of b, `stride` apart.
WEFT_PART void AddOneByFour(const int16_t* a, const int16_t* b, size_t stride, size_t count,
                            FourSums& sums) {
  int32_t s00 = sums.s00, s01 = sums.s01, s10 = sums.s10, s11 = sums.s11;
  const int16_t *b1 = b + stride, *b2 = b1 + stride, *b3 = b2 + stride;
  const auto add = [&](Shorts v, Shorts w0, Shorts w1, Shorts w2, Shorts w3) WEFT_ALWAYS_INLINE {
    s00 = AddProducts(s00, v, w0);
    s01 = AddProducts(s01, v, w1);
    s10 = AddProducts(s10, v, w2);
    s11 = AddProducts(s11, v, w3);
  };
#if defined(WEFT_DSP_SHORTS)
  if (size_t eights = count / 8) {
    Shorts v, w0, w1;
    __asm__ volatile(WEFT_SHORTS_LOOP(WEFT_SHORTS_ONE_BY_FOUR)
                     : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3),
                       [s00] "+r"(s00), [s01] "+r"(s01), [s10] "+r"(s10), [s11] "+r"(s11),
                       [v] "=&r"(v), [w0] "=&r"(w0), [w1] "=&r"(w1), [eights] "+r"(eights)
                     :
                     : "cc", "memory");
  }
  count %= 8;
#endif
  for (; count >= kShortLanes; count -= kShortLanes) {
    add(LoadShorts(a), LoadShorts(b), LoadShorts(b1), LoadShorts(b2), LoadShorts(b3));
    a += kShortLanes, b += kShortLanes;
    b1 += kShortLanes, b2 += kShortLanes, b3 += kShortLanes;
  }
  if (count != 0) {
    add(LoadFirstShorts(a, count), LoadFirstShorts(b, count), LoadFirstShorts(b1, count),
        LoadFirstShorts(b2, count), LoadFirstShorts(b3, count));
  }
  sums = {s00, s01, s10, s11};
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_SHORT_DOTS_INL_H_
