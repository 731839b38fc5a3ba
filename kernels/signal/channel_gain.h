// SPDX-License-Identifier: Apache-2.0
// Per-channel amplitude normalisation in unsigned 32-bit integers, bit-identical to the operator
// SignalPCAN of TensorFlow Lite for Microcontrollers:
//
//   y[i] = Shrunk(x[i] * Function(noise[i]) >> shift)       the product in 64 bits
//
// Function is stored in a table of 16-bit integers: its values for 0, 1 and 2, then for each number
// of bits from 2 on a polynomial of degree 2 in the 10 bits after the leading one. Shrunk has 12
// fractional bits in, 6 out: v^2 / 4 below 2, else v - 1. Numbers are u32, stored as i32.
#ifndef WEFT_KERNELS_SIGNAL_CHANNEL_GAIN_H_
#define WEFT_KERNELS_SIGNAL_CHANNEL_GAIN_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

struct ChannelGainShape {
  uint32_t count = 0;
  uint32_t shift = 0;  // at most 31
};

inline constexpr uint32_t kChannelGainTable = 125;

// y may be x or noise.
void ChannelGain(const ChannelGainShape& shape, const uint32_t* x, const uint32_t* noise,
                 const int16_t* table, uint32_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIGNAL_CHANNEL_GAIN_H_
