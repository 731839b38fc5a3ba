// SPDX-License-Identifier: Apache-2.0
// ReLU on Helium's vectors.

#if defined(WEFT_KERNELS_MATRIX_RELU_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_RELU_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_RELU_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_RELU_HELIUM_INL_H_
#endif

#include <arm_mve.h>

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// x < 0 ? 0 : x. Helium's "less" is also true for NaN, its "greater" is not. Clang 19 replaces one
// by the other if it knows the constant, so the constant is hidden.
HWY_INLINE float32x4_t Relu(float32x4_t x) {
  float32x4_t zero = vdupq_n_f32(0.0f);
  __asm__("" : "+w"(zero));
  return vpselq_f32(zero, x, vcmpgtq_f32(zero, x));
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RELU_HELIUM_INL_H_
