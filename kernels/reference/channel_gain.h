// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for channel_gain: the formula in 64 bits.
#ifndef WEFT_KERNELS_REFERENCE_CHANNEL_GAIN_H_
#define WEFT_KERNELS_REFERENCE_CHANNEL_GAIN_H_

#include "kernels/reference/signal.h"
#include "kernels/signal/channel_gain.h"

namespace weft::kernels {

inline uint32_t ChannelGainReference(uint32_t x, uint32_t a, const int16_t* table, uint32_t shift) {
  int64_t gain = a <= 2 ? table[a] : 0;
  if (a > 2) {
    uint32_t power = 0;  // the leading bit
    while (a >> power > 1) ++power;
    const int16_t* const terms = table + 4 * power - 2;
    const auto part = static_cast<int64_t>((uint64_t{a} << 10 >> power) - 1024);
    const int64_t slope = FloorOfShift(terms[2] * part, 5) + int64_t{terms[1]} * 32;
    const auto product = static_cast<int32_t>(static_cast<uint32_t>(slope * part + 16384));
    gain = static_cast<int16_t>(terms[0] + FloorOfShift(product, 15));
  }
  const uint64_t product = uint64_t{x} * static_cast<uint32_t>(gain);
  const auto ratio = static_cast<uint32_t>(product >> shift);
  if (ratio < 8192) return static_cast<uint32_t>(uint64_t{ratio} * ratio / 1048576);
  return ratio / 64 - 64;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_CHANNEL_GAIN_H_
