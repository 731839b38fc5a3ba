// SPDX-License-Identifier: Apache-2.0
// Quantisation (code_range.h) of Helium's vectors of floats.

#if defined(WEFT_KERNELS_SIMD_CODES_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_CODES_HELIUM_INL_H_
#undef WEFT_KERNELS_SIMD_CODES_HELIUM_INL_H_
#else
#define WEFT_KERNELS_SIMD_CODES_HELIUM_INL_H_
#endif

#include <arm_mve.h>

#include "kernels/simd/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Limits of four quantised values.
struct BoundVectors {
  float32x4_t low, high;
  int32x4_t zero;
};
HWY_INLINE BoundVectors VectorsOf(const CodeBounds& bounds) {
  return {vdupq_n_f32(bounds.low), vdupq_n_f32(bounds.high), vdupq_n_s32(bounds.zero)};
}
// For a number and a NaN, VMAXNM returns the number.
HWY_INLINE int32x4_t FourCodes(float32x4_t v, const BoundVectors& bounds) {
  const float32x4_t inside = vminnmq_f32(vmaxnmq_f32(v, bounds.low), bounds.high);
  return vaddq_s32(vcvtnq_s32_f32(inside), bounds.zero);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_CODES_HELIUM_INL_H_
