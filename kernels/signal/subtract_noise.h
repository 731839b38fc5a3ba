// SPDX-License-Identifier: Apache-2.0
// Spectral subtraction in unsigned 32-bit integers, bit-identical to the operator
// SignalFilterBankSpectralSubtraction of TensorFlow Lite for Microcontrollers. The noise of each
// channel i is a smoothed energy, which is subtracted from x:
//
//   s         = x[i] << smoothing_bits
//   noise'[i] = (s * smoothing[i % 2] + noise[i] * rest[i % 2]) >> bits      in 64 bits
//   y[i]      = max((s - min(s, noise'[i])) >> smoothing_bits, x[i] * min_remaining >> bits)
//
// With `clamping`, noise'[i] is then at most s. All numbers are u32, stored as i32.
#ifndef WEFT_KERNELS_SIGNAL_SUBTRACT_NOISE_H_
#define WEFT_KERNELS_SIGNAL_SUBTRACT_NOISE_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

struct SubtractNoiseShape {
  uint32_t count = 0;
  uint32_t smoothing[2] = {}, rest[2] = {};  // of even and of odd channels
  uint32_t min_remaining = 0;
  uint32_t smoothing_bits = 0, bits = 0;  // at most 31
  bool clamping = false;
};

// y may be x, and noise_next noise. Nothing else may overlap.
void SubtractNoise(const SubtractNoiseShape& shape, const uint32_t* x, const uint32_t* noise,
                   uint32_t* y, uint32_t* noise_next);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIGNAL_SUBTRACT_NOISE_H_
