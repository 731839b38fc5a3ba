// SPDX-License-Identifier: Apache-2.0
// The gates of an LSTM on Cortex-M with Helium, eight units at a time; lstm-inl.h says what they are.

#if defined(WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
#undef WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
#endif

#include "kernels/simd/math_helium-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Units that fill no eight are one of their own.
HWY_NOINLINE inline void AddLstmUnits(const float* i, const float* g, float* added, size_t count) {
  float rest[2][kPair];
  while (count != 0) {
    float* to = added;
    if (count < kPair) {
      i = RestOf(i, count, rest[0]);
      g = RestOf(g, count, rest[1]);
      to = rest[0];
    }
    StorePair(SigmoidTimesTanh(LoadPair(i), LoadPair(g)), to);
    if (count < kPair) return StoreFirstPair(LoadPair(to), added, count);
    i += kPair;
    g += kPair;
    added += kPair;
    count -= kPair;
  }
}

HWY_NOINLINE inline void FinishLstmUnits(const float* f, const float* added, const float* o,
                                         const float* c, float* h_next, float* c_next,
                                         size_t count) {
  float rest[4][kPair];
  while (count != 0) {
    float* cells = c_next;
    float* out = h_next;
    if (count < kPair) {
      f = RestOf(f, count, rest[0]);
      added = RestOf(added, count, rest[1]);
      o = RestOf(o, count, rest[2]);
      c = RestOf(c, count, rest[3]);
      out = rest[0];
      cells = rest[3];
    }
    const FloatPair next = Fma(Sigmoid(LoadPair(f)), LoadPair(c), LoadPair(added));
    StorePair(next, cells);
    StorePair(SigmoidTimesTanh(LoadPair(o), next), out);
    if (count < kPair) {
      StoreFirstPair(LoadPair(cells), c_next, count);
      return StoreFirstPair(LoadPair(out), h_next, count);
    }
    f += kPair;
    added += kPair;
    o += kPair;
    c += kPair;
    h_next += kPair;
    c_next += kPair;
    count -= kPair;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_LSTM_HELIUM_INL_H_
