// SPDX-License-Identifier: Apache-2.0
// The gates of a GRU with sigmoid and tanh whose reset comes before the product, for
// gru_reset_cell.

#if defined(WEFT_KERNELS_RECURRENT_GRU_RESET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GRU_RESET_INL_H_
#undef WEFT_KERNELS_RECURRENT_GRU_RESET_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GRU_RESET_INL_H_
#endif

#include "kernels/simd/math-inl.h"

#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/recurrent/gru_reset_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// If vectors have one lane, the gates of `count` units are two functions, so that all weight types
// share one copy of each. z[n] = sigmoid(z_sum[n]), reset_h[n] = sigmoid(r_sum[n]) * h[n]; z and
// reset_h may be their sums.
HWY_NOINLINE inline void ResetGruUnits(const float* z_sum, const float* r_sum, const float* h,
                                       float* z, float* reset_h, size_t count) {
  for (size_t n = 0; n < count; ++n) {
    Store(Sigmoid(Load(z_sum + n)), z + n);
    Store(hn::Mul(Sigmoid(Load(r_sum + n)), Load(h + n)), reset_h + n);
  }
}

// Computes h' from the sums of the candidate; h' overwrites z.
HWY_NOINLINE inline void UpdateGruUnits(const float* sums, const float* h, float* z, size_t count) {
  for (size_t n = 0; n < count; ++n) {
    const FloatVec candidate = Tanh(Load(sums + n));
    Store(Fma(Load(z + n), hn::Sub(Load(h + n), candidate), candidate), z + n);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Computes the first `lanes` units of a vector from their sums.
HWY_INLINE void ResetGruUnits(FloatVec z_sum, FloatVec r_sum, const float* h, float* z,
                              float* reset_h, size_t lanes) {
  StoreFirst(Sigmoid(z_sum), z, lanes);
  StoreFirst(hn::Mul(Sigmoid(r_sum), LoadFirst(h, lanes)), reset_h, lanes);
}

// Computes h' from the sums of the candidate; h' overwrites z.
HWY_INLINE void UpdateGruUnits(FloatVec sum, const float* h, float* z, size_t lanes) {
  const FloatVec candidate = Tanh(sum);
  const FloatVec distance = hn::Sub(LoadFirst(h, lanes), candidate);
  StoreFirst(Fma(LoadFirst(z, lanes), distance, candidate), z, lanes);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_RECURRENT_GRU_RESET_INL_H_
