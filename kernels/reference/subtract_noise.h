// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for subtract_noise.
#ifndef WEFT_KERNELS_REFERENCE_SUBTRACT_NOISE_H_
#define WEFT_KERNELS_REFERENCE_SUBTRACT_NOISE_H_

#include <algorithm>

#include "kernels/signal/subtract_noise.h"

namespace weft::kernels {

// y of channel `i`; replaces its noise.
inline uint32_t SubtractNoiseReference(const SubtractNoiseShape& s, uint32_t i, uint32_t x,
                                       uint32_t* noise) {
  const uint64_t unit = uint64_t{1} << s.bits;
  const auto scaled = static_cast<uint32_t>(x * (uint64_t{1} << s.smoothing_bits));
  const uint64_t sum = uint64_t{scaled} * s.smoothing[i % 2] + uint64_t{*noise} * s.rest[i % 2];
  *noise = static_cast<uint32_t>(sum / unit);
  const uint32_t subtracted = scaled - std::min(scaled, *noise);
  if (s.clamping) *noise = std::min(scaled, *noise);
  return std::max(subtracted >> s.smoothing_bits,
                  static_cast<uint32_t>(uint64_t{x} * s.min_remaining / unit));
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SUBTRACT_NOISE_H_
