// SPDX-License-Identifier: Apache-2.0
// Weight loads of the assembly for Cortex-M with a scalar FPU. They load weights as floats into s16
// and following registers, and advance the register operand `weights`. A register holds two f16
// values, which take one conversion instruction each.

#if defined(WEFT_KERNELS_MATRIX_WEIGHTS_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_WEIGHTS_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_WEIGHTS_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_WEIGHTS_CORTEX_M_INL_H_
#endif

// clang-format off
#undef WEFT_EIGHT_FLOATS
#define WEFT_EIGHT_FLOATS "vldmia %[weights]!, {s16-s23}\n\t"
#undef WEFT_FOUR_FLOATS
#define WEFT_FOUR_FLOATS "vldmia %[weights]!, {s16-s19}\n\t"
#undef WEFT_EIGHT_HALVES
#define WEFT_EIGHT_HALVES             \
  "vldmia %[weights]!, {s20-s23}\n\t" \
  "vcvtb.f32.f16 s16, s20\n\t"        \
  "vcvtt.f32.f16 s17, s20\n\t"        \
  "vcvtb.f32.f16 s18, s21\n\t"        \
  "vcvtt.f32.f16 s19, s21\n\t"        \
  "vcvtb.f32.f16 s20, s22\n\t"        \
  "vcvtt.f32.f16 s21, s22\n\t"        \
  "vcvtb.f32.f16 s22, s23\n\t"        \
  "vcvtt.f32.f16 s23, s23\n\t"
#undef WEFT_FOUR_HALVES
#define WEFT_FOUR_HALVES              \
  "vldmia %[weights]!, {s18-s19}\n\t" \
  "vcvtb.f32.f16 s16, s18\n\t"        \
  "vcvtt.f32.f16 s17, s18\n\t"        \
  "vcvtb.f32.f16 s18, s19\n\t"        \
  "vcvtt.f32.f16 s19, s19\n\t"
// Four codes in a register as floats in four registers; a and b are other operands.
#undef WEFT_WIDEN_FOUR
#define WEFT_WIDEN_FOUR(codes, s0, s1, s2, s3) \
  "sxtb %[a], " codes "\n\t"                   \
  "sxtb %[b], " codes ", ror #8\n\t"           \
  "vmov " s0 ", " s1 ", %[a], %[b]\n\t"        \
  "sxtb %[a], " codes ", ror #16\n\t"          \
  "asr %[b], " codes ", #24\n\t"               \
  "vmov " s2 ", " s3 ", %[a], %[b]\n\t"        \
  "vcvt.f32.s32 " s0 ", " s0 "\n\t"            \
  "vcvt.f32.s32 " s1 ", " s1 "\n\t"            \
  "vcvt.f32.s32 " s2 ", " s2 "\n\t"            \
  "vcvt.f32.s32 " s3 ", " s3 "\n\t"
// clang-format on

#endif  // WEFT_KERNELS_MATRIX_WEIGHTS_CORTEX_M_INL_H_
