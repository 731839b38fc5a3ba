// SPDX-License-Identifier: Apache-2.0
// The gates of a GRU with the reset before the product, on Cortex-M with Helium, eight units at a
// time; see gru_reset-inl.h.

#if defined(WEFT_KERNELS_RECURRENT_GRU_RESET_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GRU_RESET_HELIUM_INL_H_
#undef WEFT_KERNELS_RECURRENT_GRU_RESET_HELIUM_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GRU_RESET_HELIUM_INL_H_
#endif

#include "kernels/simd/math_helium-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The last units, if fewer than eight, are processed separately.
WEFT_UNITS void ResetGruUnits(const float* z_sum, const float* r_sum, const float* h, float* z,
                              float* reset_h, size_t count) {
  float rest[3][kPair];
  while (count != 0) {
    const bool is_rest = count < kPair;
    if (is_rest) {
      z_sum = RestOf(z_sum, count, rest[0]);
      r_sum = RestOf(r_sum, count, rest[1]);
      h = RestOf(h, count, rest[2]);
    }
    float* gate = is_rest ? rest[0] : z;
    float* out = is_rest ? rest[1] : reset_h;
    StorePair(Sigmoid(LoadPair(z_sum)), gate);
    StorePair(Mul(Sigmoid(LoadPair(r_sum)), LoadPair(h)), out);
    if (is_rest) {
      StoreFirstPair(LoadPair(gate), z, count);
      return StoreFirstPair(LoadPair(out), reset_h, count);
    }
    z_sum += kPair;
    r_sum += kPair;
    h += kPair;
    z += kPair;
    reset_h += kPair;
    count -= kPair;
  }
}

WEFT_UNITS void UpdateGruUnits(const float* sums, const float* h, float* z, size_t count) {
  float rest[3][kPair];
  while (count != 0) {
    const bool is_rest = count < kPair;
    const float* gate = z;
    if (is_rest) {
      sums = RestOf(sums, count, rest[0]);
      h = RestOf(h, count, rest[1]);
      gate = RestOf(z, count, rest[2]);
    }
    float* out = is_rest ? rest[2] : z;
    const FloatPair candidate = Tanh(LoadPair(sums));
    StorePair(Fma(LoadPair(gate), Sub(LoadPair(h), candidate), candidate), out);
    if (is_rest) return StoreFirstPair(LoadPair(out), z, count);
    sums += kPair;
    h += kPair;
    z += kPair;
    count -= kPair;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_GRU_RESET_HELIUM_INL_H_
