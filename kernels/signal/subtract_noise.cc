// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/subtract_noise.h"

namespace weft::kernels {

void SubtractNoise(const SubtractNoiseShape& shape, const uint32_t* x, const uint32_t* noise,
                   uint32_t* y, uint32_t* noise_next) {
  for (size_t i = 0; i < shape.count; ++i) {
    const uint32_t signal = x[i], scaled = signal << shape.smoothing_bits;
    const uint64_t sum =
        uint64_t{scaled} * shape.smoothing[i & 1] + uint64_t{noise[i]} * shape.rest[i & 1];
    const auto estimate = static_cast<uint32_t>(sum >> shape.bits);
    const uint32_t removed = estimate < scaled ? estimate : scaled;
    noise_next[i] = shape.clamping ? removed : estimate;
    const auto least = static_cast<uint32_t>(uint64_t{signal} * shape.min_remaining >> shape.bits);
    const uint32_t left = (scaled - removed) >> shape.smoothing_bits;
    y[i] = left > least ? left : least;
  }
}

}  // namespace weft::kernels
