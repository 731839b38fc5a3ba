// SPDX-License-Identifier: Apache-2.0
// The polynomial of math-inl.h for Cortex-M with a scalar FPU. A multiply-add overwrites the
// coefficient that it adds, so compilers load or move each coefficient separately; here one
// instruction loads all of them. The results are bit-identical to those of the other targets.

#if defined(WEFT_KERNELS_SIMD_POLYNOMIAL_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_POLYNOMIAL_CORTEX_M_INL_H_
#undef WEFT_KERNELS_SIMD_POLYNOMIAL_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_SIMD_POLYNOMIAL_CORTEX_M_INL_H_
#endif

#include "kernels/simd/vector-inl.h"

// clang-format off
// The last N steps of Horner's scheme: WEFT_HORNER_N starts with the partial sum in s(N-1).
#undef WEFT_HORNER_2
#define WEFT_HORNER_2 "vfma.f32 s0, s1, %[x]"
#undef WEFT_HORNER_3
#define WEFT_HORNER_3 "vfma.f32 s1, s2, %[x]\n\t" WEFT_HORNER_2
#undef WEFT_HORNER_4
#define WEFT_HORNER_4 "vfma.f32 s2, s3, %[x]\n\t" WEFT_HORNER_3
#undef WEFT_HORNER_5
#define WEFT_HORNER_5 "vfma.f32 s3, s4, %[x]\n\t" WEFT_HORNER_4
#undef WEFT_HORNER_6
#define WEFT_HORNER_6 "vfma.f32 s4, s5, %[x]\n\t" WEFT_HORNER_5
#undef WEFT_HORNER_7
#define WEFT_HORNER_7 "vfma.f32 s5, s6, %[x]\n\t" WEFT_HORNER_6
#undef WEFT_HORNER_9
#define WEFT_HORNER_9 "vfma.f32 s7, s8, %[x]\n\t" "vfma.f32 s6, s7, %[x]\n\t" WEFT_HORNER_7
// clang-format on
#undef WEFT_POLYNOMIAL
#define WEFT_POLYNOMIAL(registers, horner, ...)     \
  __asm__("vldmia %[c], {" registers "}\n\t" horner \
          : "=&t"(sum)                              \
          : [x] "t"(x.raw), [c] "r"(&c[0]), "m"(c)  \
          : __VA_ARGS__)

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// c[0] + x * (c[1] + x * (c[2] + ...))
template <size_t kTerms>
HWY_INLINE FloatVec Polynomial(FloatVec x, const float (&c)[kTerms]) {
  static_assert(kTerms == 3 || (kTerms >= 5 && kTerms <= 7) || kTerms == 9,
                "add a branch for polynomials of this length");
  register float sum __asm__("s0");
  if constexpr (kTerms == 3) {
    WEFT_POLYNOMIAL("s0-s2", WEFT_HORNER_3, "s1", "s2");
  } else if constexpr (kTerms == 5) {
    WEFT_POLYNOMIAL("s0-s4", WEFT_HORNER_5, "s1", "s2", "s3", "s4");
  } else if constexpr (kTerms == 6) {
    WEFT_POLYNOMIAL("s0-s5", WEFT_HORNER_6, "s1", "s2", "s3", "s4", "s5");
  } else if constexpr (kTerms == 7) {
    WEFT_POLYNOMIAL("s0-s6", WEFT_HORNER_7, "s1", "s2", "s3", "s4", "s5", "s6");
  } else {
    WEFT_POLYNOMIAL("s0-s8", WEFT_HORNER_9, "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8");
  }
  return FloatVec(sum);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_POLYNOMIAL_CORTEX_M_INL_H_
