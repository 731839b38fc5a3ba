// SPDX-License-Identifier: Apache-2.0
// The gates of a GRU on Cortex-M with Helium, eight units at a time; see gru-inl.h.

#if defined(WEFT_KERNELS_RECURRENT_GRU_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GRU_HELIUM_INL_H_
#undef WEFT_KERNELS_RECURRENT_GRU_HELIUM_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GRU_HELIUM_INL_H_
#endif

#include "kernels/simd/math_helium-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The last units, if fewer than eight, are processed separately.
WEFT_UNITS void GateGruUnits(const float* x, const float* r, float* y, size_t count) {
  float rest[2][kPair];
  while (count != 0) {
    float* to = y;
    if (count < kPair) {
      x = RestOf(x, count, rest[0]);
      r = RestOf(r, count, rest[1]);
      to = rest[0];
    }
    StorePair(Sigmoid(Add(LoadPair(x), LoadPair(r))), to);
    if (count < kPair) return StoreFirstPair(LoadPair(to), y, count);
    x += kPair;
    r += kPair;
    y += kPair;
    count -= kPair;
  }
}

WEFT_UNITS void FinishGruUnits(const float* z, const float* r, const float* x_part,
                               const float* r_part, const float* h, float* h_next, size_t count) {
  float rest[5][kPair];
  while (count != 0) {
    float* out = h_next;
    if (count < kPair) {
      z = RestOf(z, count, rest[0]);
      r = RestOf(r, count, rest[1]);
      x_part = RestOf(x_part, count, rest[2]);
      r_part = RestOf(r_part, count, rest[3]);
      h = RestOf(h, count, rest[4]);
      out = rest[0];
    }
    const FloatPair candidate = Tanh(Fma(LoadPair(r), LoadPair(r_part), LoadPair(x_part)));
    StorePair(Fma(LoadPair(z), Sub(LoadPair(h), candidate), candidate), out);
    if (count < kPair) return StoreFirstPair(LoadPair(out), h_next, count);
    z += kPair;
    r += kPair;
    x_part += kPair;
    r_part += kPair;
    h += kPair;
    h_next += kPair;
    count -= kPair;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_GRU_HELIUM_INL_H_
