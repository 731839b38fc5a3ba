// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernels for signal: each formula in 64 bits, element by element.
#ifndef WEFT_KERNELS_REFERENCE_SIGNAL_H_
#define WEFT_KERNELS_REFERENCE_SIGNAL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/signal/signal.h"

namespace weft::kernels {

// floor(v / 2^bits).
inline int64_t FloorOfShift(int64_t v, uint32_t bits) {
  const int64_t divisor = int64_t{1} << bits;
  return v >= 0 ? v / divisor : -((-v + divisor - 1) / divisor);
}

inline int16_t WindowReference(int16_t x, int16_t a, uint32_t shift) {
  const int64_t v = FloorOfShift(int64_t{x} * a, shift);
  return static_cast<int16_t>(std::clamp<int64_t>(v, -32768, 32767));
}

inline uint32_t EnergyReference(int16_t re, int16_t im) {
  return static_cast<uint32_t>(int64_t{re} * re + int64_t{im} * im);
}

// The nearest integer, except that 2^16 is not reached below 2^32, nor 2^32 at all.
inline uint32_t SquareRootReference(uint64_t x, uint32_t shift) {
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(x)));
  root = std::min<uint64_t>(root, 0xFFFFFFFF);
  while (root * root > x) --root;
  while (root < 0xFFFFFFFF && (root + 1) * (root + 1) <= x) ++root;
  const uint64_t limit = x < uint64_t{1} << 32 ? 0xFFFF : 0xFFFFFFFF;
  if (root < limit && x - root * root > root) ++root;
  return static_cast<uint32_t>(root >> shift);
}

inline int16_t LogarithmReference(uint32_t x, const int16_t* table, uint32_t scale,
                                  uint32_t shift) {
  x = static_cast<uint32_t>(uint64_t{x} << shift);
  if (x <= 1) return 0;
  uint32_t power = 0;
  while (x >> power > 1) ++power;
  const auto part = static_cast<int64_t>((uint64_t{x} << 16 >> power) - 65536);
  const auto segment = static_cast<size_t>(part / 512);
  const int64_t inside = (table[segment + 1] - table[segment]) * (part % 512);
  const int64_t log2 = int64_t{power} * 65536 + part + table[segment] + FloorOfShift(inside, 16);
  const int64_t ln = (log2 * 45426 + 32768) / 65536;
  const auto scaled = static_cast<uint32_t>(scale * static_cast<uint64_t>(ln) + 32768);
  return static_cast<int16_t>(std::min<uint32_t>(scaled / 65536, 32767));
}

inline std::vector<int16_t> LogarithmTable() {
  std::vector<int16_t> table;
  for (uint32_t i = 0; i < kLogarithmTable; ++i) {
    const double part = i / 128.0;
    table.push_back(static_cast<int16_t>(std::lround(65536 * (std::log2(1 + part) - part))));
  }
  return table;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SIGNAL_H_
