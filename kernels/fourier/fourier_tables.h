// SPDX-License-Identifier: Apache-2.0
// The tables of the fourier step, computed in double and rounded once. For the converter and tests;
// this code does not run on a device.
#ifndef WEFT_KERNELS_FOURIER_FOURIER_TABLES_H_
#define WEFT_KERNELS_FOURIER_FOURIER_TABLES_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/fourier/fourier.h"

namespace weft::kernels {

struct CirclePoint {
  double cosine, sine;
};

// The point at angle step / size of a full turn, for step >= 0; exact at multiples of a quarter.
inline CirclePoint TwiddlePoint(int64_t step, int64_t size) {
  constexpr double kQuarter = 1.57079632679489661923;
  const int64_t quarters = 4 * (step % size);
  const double angle = kQuarter * static_cast<double>(quarters % size) / static_cast<double>(size);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarters / size) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

// Writes the factors of `points` to `factors`, in the order of the passes (fours first). Returns
// false if a prime factor is too large or there are too many factors.
inline bool FindFourierFactors(uint32_t points, uint8_t (&factors)[kMaxFourierFactors]) {
  uint32_t count = 0;
  for (const uint8_t factor : {4, 2, 3, 5, 7, 11, 13}) {
    for (; points % factor == 0; points /= factor) {
      if (points == 0 || count == kMaxFourierFactors) return false;
      factors[count++] = factor;
    }
  }
  return points == 1;
}

// Appends the cosines of `count` angles i * step / size of a full turn, then their sines times
// `sign`. Returns the end of the output.
inline float* AppendTwiddles(int64_t count, int64_t step, int64_t size, double sign, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    *to++ = static_cast<float>(TwiddlePoint(i * step, size).cosine);
  }
  for (int64_t i = 0; i < count; ++i) {
    *to++ = static_cast<float>(sign * TwiddlePoint(i * step, size).sine);
  }
  return to;
}

// Writes FourierTableFloats floats. `window` has a number for each real number of a line, if the
// shape has a window.
inline void FillFourierTables(const FourierShape& shape, const double* window, float* tables) {
  for (uint64_t i = 0; i < FourierWindowFloats(shape); ++i) {
    *tables++ = static_cast<float>(window[i]);
  }
  if (IsPairedFourier(shape)) {
    tables = AppendTwiddles((int64_t{FourierPoints(shape)} + 1) / 2, 1, shape.size, 1, tables);
  }
  uint32_t rest = FourierPoints(shape);
  for (const uint8_t factor : shape.factors) {
    if (factor == 0) break;
    const int64_t size = rest;
    rest /= factor;
    if (FourierCircleFloats(factor) != 0) tables = AppendTwiddles(factor, 1, factor, 1, tables);
    for (int64_t j = 1; rest != 1 && j < factor; ++j) {
      tables = AppendTwiddles(rest, j, size, -1, tables);
    }
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_FOURIER_FOURIER_TABLES_H_
