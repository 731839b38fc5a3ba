// SPDX-License-Identifier: Apache-2.0
// The gates of an LSTM with sigmoid and tanh, for lstm_gates and lstm_cell.

#if defined(WEFT_KERNELS_RECURRENT_LSTM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_LSTM_INL_H_
#undef WEFT_KERNELS_RECURRENT_LSTM_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_LSTM_INL_H_
#endif

#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The first `lanes` of a vector of units, from their sums; c_next may be c.
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

#endif  // WEFT_KERNELS_RECURRENT_LSTM_INL_H_
