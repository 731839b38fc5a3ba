// SPDX-License-Identifier: Apache-2.0
// The gates of an LSTM on Cortex-M with Helium, eight units at a time; see lstm-inl.h.

#if defined(WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
#undef WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
#endif

#include "kernels/simd/math_helium-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The last units, if fewer than eight, are processed separately.
WEFT_UNITS void GateLstmUnits(const float* gate, const float* x, float* y, size_t count) {
  float rest[2][kPair];
  while (count != 0) {
    float* to = y;
    if (count < kPair) {
      gate = RestOf(gate, count, rest[0]);
      x = RestOf(x, count, rest[1]);
      to = rest[0];
    }
    StorePair(SigmoidTimesTanh(LoadPair(gate), LoadPair(x)), to);
    if (count < kPair) return StoreFirstPair(LoadPair(to), y, count);
    gate += kPair;
    x += kPair;
    y += kPair;
    count -= kPair;
  }
}

WEFT_UNITS void KeepLstmUnits(const float* f, const float* c, const float* added, float* c_next,
                              size_t count) {
  float rest[3][kPair];
  while (count != 0) {
    float* to = c_next;
    if (count < kPair) {
      f = RestOf(f, count, rest[0]);
      c = RestOf(c, count, rest[1]);
      added = RestOf(added, count, rest[2]);
      to = rest[0];
    }
    StorePair(Fma(Sigmoid(LoadPair(f)), LoadPair(c), LoadPair(added)), to);
    if (count < kPair) return StoreFirstPair(LoadPair(to), c_next, count);
    f += kPair;
    c += kPair;
    added += kPair;
    c_next += kPair;
    count -= kPair;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
