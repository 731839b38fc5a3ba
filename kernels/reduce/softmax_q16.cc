// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax_q16.h"

#include <cstddef>

namespace weft::kernels {
namespace {

int32_t LimitedTo16(int32_t x) { return x < -0x8000 ? -0x8000 : x > 0x7FFF ? 0x7FFF : x; }

// Interpolates a table at `at`, which has 9 bits of index and 7 of fraction.
int32_t Interpolated(const int16_t* table, int32_t at) {
  const int16_t* const low = table + 256 + (at >> 7);
  return low[0] + (((low[1] - low[0]) * (at & 127) + 64) >> 7);
}

int32_t LeadingZeros(uint32_t x) {
  int32_t zeros = 32;
  for (; x != 0; x >>= 1) --zeros;
  return zeros;
}

void Row(const SoftmaxQ16Shape& shape, const int16_t* x, const int16_t* tables, int16_t* y) {
  const size_t length = shape.length;
  int32_t max = -0x8000;
  for (size_t i = 0; i < length; ++i) max = x[i] > max ? x[i] : max;
  uint32_t sum = 0;
  for (size_t i = 0; i < length; ++i) {
    const int32_t scaled = Rescaled(x[i] - max, shape.multiplier);
    const int32_t e = Interpolated(tables, LimitedTo16(WrappingAdd<int32_t>(scaled, 0x7FFF)));
    y[i] = static_cast<int16_t>(e);
    sum += static_cast<uint32_t>(e);
  }
  // The sum is 2^(16 - zeros) * (1 + fraction), and the fraction has 16 bits.
  const int32_t zeros = LeadingZeros(sum);
  const uint64_t shifted = uint64_t{sum} << ((zeros - 1) & 31);
  const auto rounded = static_cast<int32_t>((shifted + (1 << 13)) >> 14);
  const int32_t fraction = LimitedTo16(WrappingSubtract<int32_t>(rounded, (1 << 16) + (1 << 15)));
  const int64_t reciprocal = Interpolated(tables + kSoftmaxTable, fraction);
  const int32_t shift = (31 - zeros) & 31;
  const int64_t half = (int64_t{1} << shift) >> 1;
  for (size_t i = 0; i < length; ++i) {
    const int64_t v = (y[i] * reciprocal + half) >> shift;
    y[i] = static_cast<int16_t>(v < 0 ? 0 : v > 0x7FFF ? 0x7FFF : v);
  }
}

}  // namespace

void SoftmaxQ16(const SoftmaxQ16Shape& shape, const int16_t* x, const int16_t* tables, int16_t* y) {
  if (shape.length == 0) return;
  for (uint32_t row = 0; row < shape.rows; ++row, x += shape.length, y += shape.length) {
    Row(shape, x, tables, y);
  }
}

}  // namespace weft::kernels
