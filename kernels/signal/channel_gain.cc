// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/channel_gain.h"

#include "kernels/signal/bit_count.h"

namespace weft::kernels {
namespace {

uint32_t FunctionOf(uint32_t x, const int16_t* table) {
  if (x <= 2) return static_cast<uint32_t>(table[x]);
  const uint32_t bits = BitCount(x);
  const int16_t* const terms = table + (4 * bits - 6);
  const uint32_t part = (bits < 11 ? x << (11 - bits) : x >> (bits - 11)) & 0x3FF;
  auto sum = static_cast<uint32_t>(terms[2] * static_cast<int32_t>(part) >> 5);
  sum = (sum + (static_cast<uint32_t>(terms[1]) << 5)) * part + (1u << 14);
  const int32_t rounded = static_cast<int32_t>(sum) >> 15;
  return static_cast<uint32_t>(int32_t{static_cast<int16_t>(rounded + terms[0])});
}

uint32_t Shrunk(uint32_t x) { return x < 2u << 12 ? x * x >> 20 : (x >> 6) - (1u << 6); }

}  // namespace

void ChannelGain(const ChannelGainShape& shape, const uint32_t* x, const uint32_t* noise,
                 const int16_t* table, uint32_t* y) {
  for (size_t i = 0; i < shape.count; ++i) {
    const uint64_t product = uint64_t{x[i]} * FunctionOf(noise[i], table);
    y[i] = Shrunk(static_cast<uint32_t>(product >> shape.shift));
  }
}

}  // namespace weft::kernels
