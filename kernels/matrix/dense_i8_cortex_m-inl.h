// SPDX-License-Identifier: Apache-2.0
// Sums of 16 outputs on a Cortex-M, whose instructions multiply and add neighbours: Helium eight pairs of
// 16 bits, the DSP extension two. Numbers of a block stay in registers for all of its outputs.

#if defined(WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#else
#include <arm_acle.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(__ARM_FEATURE_MVE)

struct BlockOfNumbers {
  explicit BlockOfNumbers(const int16_t* q) : low(vldrhq_s16(q)), high(vldrhq_s16(q + 8)) {}
  int32_t AddTo(int32_t sum, const int8_t* weights) const {
    sum = vmladavaq_s16(sum, low, vldrbq_s16(weights));
    return vmladavaq_s16(sum, high, vldrbq_s16(weights + 8));
  }
  int16x8_t low, high;
};

#else

// SXTB16 takes bytes 0 and 2 of a word, or 1 and 3; so numbers are held in such pairs.
struct BlockOfNumbers {
  static constexpr size_t kWords = kInputBlock / 4;
  explicit BlockOfNumbers(const int16_t* q) {
    HWY_UNROLL(4)
    for (size_t i = 0; i < kWords; ++i) {
      const uint32_t first = Word(q + 4 * i), second = Word(q + 4 * i + 2);
      even[i] = static_cast<int16x2_t>((first & 0xFFFFu) | (second << 16));
      odd[i] = static_cast<int16x2_t>((first >> 16) | (second & 0xFFFF0000u));
    }
  }
  int32_t AddTo(int32_t sum, const int8_t* weights) const {
    HWY_UNROLL(4)
    for (size_t i = 0; i < kWords; ++i) {
      const uint32_t word = Word(weights + 4 * i);
      sum = __smlad(__sxtb16(static_cast<int8x4_t>(word)), even[i], sum);
      sum = __smlad(OddBytes(word), odd[i], sum);
    }
    return sum;
  }
  // One instruction; compilers make two of it.
  static int16x2_t OddBytes(uint32_t word) {
    int16x2_t bytes;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(bytes) : "r"(word));
    return bytes;
  }
  static uint32_t Word(const void* at) {
    uint32_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
  }
  int16x2_t even[kWords], odd[kWords];
};

#endif

template <size_t kRows>
HWY_INLINE void SumPanel(const int16_t* q, const int8_t* weights, size_t padded, int32_t* sums) {
  static_assert(kRows == 1, "rows share nothing here");
  for (size_t n = 0; n < kPanelOutputs; ++n) sums[n] = 0;
  for (size_t k = 0; k < padded; k += kInputBlock) {
    const BlockOfNumbers numbers(q + k);
    for (size_t n = 0; n < kPanelOutputs; ++n, weights += kInputBlock) {
      sums[n] = numbers.AddTo(sums[n], weights);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DENSE_I8_CORTEX_M_INL_H_
