// SPDX-License-Identifier: Apache-2.0
// Sums of 16 outputs with weights of 4 bits as PackDenseU4 lays them out, on a Cortex-M whose instructions
// multiply and add neighbours: halves of bytes become pairs of 16 bits by a mask. Instructions per
// multiply-add: Helium 0.5, the DSP extension 2.

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

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kHalfPanel = kPanelOutputs / 2;

#if defined(__ARM_FEATURE_MVE)

// Of `count` numbers, a multiple of kInputBlock.
WEFT_PART void SumNibbles(const int16_t* q, size_t count, const uint8_t* packed, int32_t* sums) {
  const uint16x8_t mask = vdupq_n_u16(15);
  for (size_t n = 0; n < kHalfPanel; ++n, packed += kInputBlock) {
    int32_t low = 0, high = 0;
    const uint8_t* line = packed;
    for (size_t k = 0; k < count; k += kInputBlock, line += kHalfPanel * kInputBlock) {
      const int16x8_t first = vldrhq_s16(q + k), second = vldrhq_s16(q + k + 8);
      const uint16x8_t both = vldrbq_u16(line), others = vldrbq_u16(line + 8);
      low = vmladavaq_s16(low, first, vreinterpretq_s16_u16(vandq_u16(both, mask)));
      high = vmladavaq_s16(high, first, vreinterpretq_s16_u16(vshrq_n_u16(both, 4)));
      low = vmladavaq_s16(low, second, vreinterpretq_s16_u16(vandq_u16(others, mask)));
      high = vmladavaq_s16(high, second, vreinterpretq_s16_u16(vshrq_n_u16(others, 4)));
    }
    sums[n] = low;
    sums[n + kHalfPanel] = high;
  }
}

#else

// sum + a * b, of both halves.
HWY_INLINE int32_t AddPairs(uint32_t a, uint32_t b, int32_t sum) {
  __asm__("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}
HWY_INLINE uint32_t WordAt(const void* at) {
  uint32_t word;
  __builtin_memcpy(&word, __builtin_assume_aligned(at, sizeof word), sizeof word);
  return word;
}

// Of `count` numbers, a multiple of kInputBlock; all lie at a multiple of 4 bytes.
WEFT_PART void SumNibbles(const int16_t* q, size_t count, const uint8_t* packed, int32_t* sums) {
  uint32_t mask = 0x000F000F;
  __asm__("" : "+r"(mask));  // else each AND has the number in it, and the shift stands alone
  for (size_t n = 0; n < kPanelOutputs; ++n) sums[n] = 0;
  for (const int16_t* const end = q + count; q != end; q += kInputBlock) {
    uint32_t x[kInputBlock / 2];  // the pairs that are a byte apart in a word of weights
    HWY_UNROLL(4)
    for (size_t i = 0; i < kInputBlock / 2; i += 2) {
      const uint32_t first = WordAt(q + 2 * i), second = WordAt(q + 2 * i + 2);
      x[i] = (first & 0xFFFFu) | second << 16;
      x[i + 1] = (second & 0xFFFF0000u) | first >> 16;
    }
    for (size_t n = 0; n < kHalfPanel; ++n, packed += kInputBlock) {
      int32_t low = sums[n], high = sums[n + kHalfPanel];
      HWY_UNROLL(4)
      for (size_t i = 0; i < kInputBlock / 2; i += 2) {
        const uint32_t word = WordAt(packed + 2 * i);
        low = AddPairs(word & mask, x[i], low);
        low = AddPairs(word >> 8 & mask, x[i + 1], low);
        high = AddPairs(word >> 4 & mask, x[i], high);
        high = AddPairs(word >> 12 & mask, x[i + 1], high);
      }
      sums[n] = low;
      sums[n + kHalfPanel] = high;
    }
  }
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_SUM_NIBBLES_CORTEX_M_INL_H_
