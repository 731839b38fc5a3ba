// SPDX-License-Identifier: Apache-2.0
// The gates of an LSTM with sigmoid and tanh, for lstm_gates and lstm_cell.

#if defined(WEFT_KERNELS_RECURRENT_LSTM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_LSTM_INL_H_
#undef WEFT_KERNELS_RECURRENT_LSTM_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_LSTM_INL_H_
#endif

#include "kernels/simd/math-inl.h"

#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/recurrent/lstm_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// If vectors have one lane, the gates of `count` units are separate functions, so that steps and
// weight types share one copy of each. y[n] = sigmoid(gate[n]) * tanh(x[n]); y may be gate or x.
HWY_NOINLINE inline void GateLstmUnits(const float* gate, const float* x, float* y, size_t count) {
  for (size_t n = 0; n < count; ++n) Store(SigmoidTimesTanh(Load(gate + n), Load(x + n)), y + n);
}

// c_next[n] = sigmoid(f[n]) * c[n] + added[n]; c' may be c.
HWY_NOINLINE inline void KeepLstmUnits(const float* f, const float* c, const float* added,
                                       float* c_next, size_t count) {
  for (size_t n = 0; n < count; ++n) {
    Store(Fma(Sigmoid(Load(f + n)), Load(c + n), Load(added + n)), c_next + n);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Computes the first `lanes` units of a vector from their sums; c_next may be c.
HWY_INLINE void LstmUnits(FloatVec f, FloatVec i, FloatVec g, FloatVec o, const float* c,
                          float* h_next, float* c_next, size_t lanes) {
  const FloatVec added = SigmoidTimesTanh(i, g);
  const FloatVec kept = Sigmoid(f);
  const FloatVec next = Fma(kept, LoadFirst(c, lanes), added);
  StoreFirst(next, c_next, lanes);
  StoreFirst(SigmoidTimesTanh(o, next), h_next, lanes);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_RECURRENT_LSTM_INL_H_
