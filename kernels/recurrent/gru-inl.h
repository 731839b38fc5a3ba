// SPDX-License-Identifier: Apache-2.0
// The gates of a GRU with sigmoid and tanh, for gru_cell.

#if defined(WEFT_KERNELS_RECURRENT_GRU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GRU_INL_H_
#undef WEFT_KERNELS_RECURRENT_GRU_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GRU_INL_H_
#endif

#include "kernels/simd/math-inl.h"

#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/recurrent/gru_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// If vectors have one lane, the gates of `count` units are two functions, so that all weight types
// share one copy of each. y[n] = sigmoid(x[n] + r[n]); y may be x.
HWY_NOINLINE inline void GateGruUnits(const float* x, const float* r, float* y, size_t count) {
  for (size_t n = 0; n < count; ++n) Store(Sigmoid(hn::Add(Load(x + n), Load(r + n))), y + n);
}

// Computes h' from the gates and both parts of the candidate; z may be h'.
HWY_NOINLINE inline void FinishGruUnits(const float* z, const float* r, const float* x_part,
                                        const float* r_part, const float* h, float* h_next,
                                        size_t count) {
  for (size_t n = 0; n < count; ++n) {
    const FloatVec candidate = Tanh(Fma(Load(r + n), Load(r_part + n), Load(x_part + n)));
    Store(Fma(Load(z + n), hn::Sub(Load(h + n), candidate), candidate), h_next + n);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Computes the first `lanes` units of a vector from the gates and both parts of the candidate.
HWY_INLINE void FinishGruUnits(FloatVec z, FloatVec reset, FloatVec x_part, FloatVec r_part,
                               const float* h, float* h_next, size_t lanes) {
  const FloatVec candidate = Tanh(Fma(reset, r_part, x_part));
  const FloatVec distance = hn::Sub(LoadFirst(h, lanes), candidate);
  StoreFirst(Fma(z, distance, candidate), h_next, lanes);
}

// The same from both parts of all sums, in order z r h.
HWY_INLINE void GruUnits(const FloatVec (&x)[3], const FloatVec (&r)[3], const float* h,
                         float* h_next, size_t lanes) {
  const FloatVec z = Sigmoid(hn::Add(x[0], r[0]));
  const FloatVec reset = Sigmoid(hn::Add(x[1], r[1]));
  FinishGruUnits(z, reset, x[2], r[2], h, h_next, lanes);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_RECURRENT_GRU_INL_H_
