// SPDX-License-Identifier: Apache-2.0
// Four quantised values as a word, with the DSP extension and the scalar FPU of a Cortex-M.

#if defined(WEFT_KERNELS_SIMD_CODES_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_CODES_CORTEX_M_INL_H_
#undef WEFT_KERNELS_SIMD_CODES_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_SIMD_CODES_CORTEX_M_INL_H_
#endif

#include "kernels/simd/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE int32_t RoundToEven(float v) {
  int32_t rounded;
  __asm__("vcvtr.s32.f32 %0, %1" : "=t"(v) : "t"(v));
  __builtin_memcpy(&rounded, &v, sizeof rounded);
  return rounded;
}

// clang-format off
// Applies an instruction to s0-s3, with four other registers or with themselves.
#undef WEFT_FOUR_PAIRS
#define WEFT_FOUR_PAIRS(instruction, a, b, c, d) \
  instruction " s0, s0, " a "\n\t"              \
  instruction " s1, s1, " b "\n\t"              \
  instruction " s2, s2, " c "\n\t"              \
  instruction " s3, s3, " d "\n\t"
#undef WEFT_FOUR_NUMBERS
#define WEFT_FOUR_NUMBERS(instruction) \
  instruction " s0, s0\n\t"           \
  instruction " s1, s1\n\t"           \
  instruction " s2, s2\n\t"           \
  instruction " s3, s3\n\t"
// Converts four sums in s0-s3 to integers, with the scales in s4-s7 and the offsets in s8-s11.
#undef WEFT_SCALE_FOUR
#define WEFT_SCALE_FOUR                              \
  WEFT_FOUR_NUMBERS("vcvt.f32.s32")                  \
  WEFT_FOUR_PAIRS("vmul.f32", "s4", "s5", "s6", "s7")  \
  WEFT_FOUR_PAIRS("vadd.f32", "s8", "s9", "s10", "s11") \
  WEFT_FOUR_NUMBERS("vcvtr.s32.f32")
// Adds the zero to four integers, saturates them and joins them to a word in the first register.
#undef WEFT_CODE
#define WEFT_CODE(code, zero)               \
  "qadd " code ", " code ", " zero "\n\t" \
  "ssat " code ", #8, " code "\n\t"
#undef WEFT_JOIN_BYTES
#define WEFT_JOIN_BYTES(a, b, c, d)       \
  "bfi " a ", " b ", #8, #8\n\t"          \
  "bfi " a ", " c ", #16, #8\n\t"         \
  "bfi " a ", " d ", #24, #8\n\t"
#undef WEFT_JOIN_FOUR
#define WEFT_JOIN_FOUR(a, b, c, d, zero)                                            \
  WEFT_CODE(a, zero) WEFT_CODE(b, zero) WEFT_CODE(c, zero) WEFT_CODE(d, zero) \
  WEFT_JOIN_BYTES(a, b, c, d)
// The code of twice an integer, whose last bit is rounded; `zero` is twice the zero plus one.
#undef WEFT_ROUNDED_CODE
#define WEFT_ROUNDED_CODE(code, zero)       \
  "qadd " code ", " code ", " zero "\n\t" \
  "ssat " code ", #8, " code ", asr #1\n\t"
#undef WEFT_LIMIT_FOUR
#define WEFT_LIMIT_FOUR(four, low, high, spare)       \
  "ssub8 " spare ", " four ", " low "\n\t"          \
  "sel " four ", " four ", " low "\n\t"             \
  "ssub8 " spare ", " high ", " four "\n\t"         \
  "sel " four ", " four ", " high "\n\t"
// clang-format on

// WasInvalid returns true if a conversion to integer since ForgetInvalid met a NaN or a number
// outside 32 bits. The instruction then returned 0 for the NaN, or the nearest integer.
HWY_INLINE void ForgetInvalid() {
  uint32_t status;
  __asm__ volatile(
      "vmrs %0, fpscr\n\t"
      "bic %0, #1\n\t"
      "vmsr fpscr, %0"
      : "=r"(status));
}
HWY_INLINE bool WasInvalid() {
  uint32_t status;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(status));
  return (status & 1) != 0;
}

// Repeats a quantised value four times in a word.
HWY_INLINE uint32_t FourOf(int8_t code) { return static_cast<uint8_t>(code) * 0x01010101u; }

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_CODES_CORTEX_M_INL_H_
