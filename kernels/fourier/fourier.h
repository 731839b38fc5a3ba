// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of lines of n = size numbers. A complex number is two neighbours:
// real part, imaginary part. With w = exp(-2 pi i / n):
//
//   kForward      y[k] = scale * sum_j x[j] w^jk         x: n complex numbers, y: n
//   kInverse      y[k] = scale * sum_j x[j] w^-jk        x: n complex numbers, y: n
//   kForwardReal  as kForward of x[j] * window[j]        x: n real numbers, y: the first n / 2 + 1
//   kInverseReal  as kInverse, times window[k]           x: the first n / 2 + 1, y: n real numbers
//
// The last takes the numbers that are missing as conjugates of those that are given; the imaginary
// part of the first, and of the last where n is even, changes nothing. Without a window its factor
// is left out.
//
// m = FourierPoints numbers are transformed: n, or where n is even and one side real, n / 2, each
// of them two neighbours of the real side; one pass more takes them apart or brings them together.
// m is the product of `factors`, each 2, 3, 4, 5, 7, 11 or 13, of which each is one pass
// (Stockham's autosort order, no permutation), so that a sum is a tree of short chains. A complex
// product is one rounded product and one fused multiply-add; the last pass has none. No sum goes
// across lanes.
//
// `tables` holds FourierTableFloats, made by kernels/fourier/fourier_tables.h; `scratch` holds
// FourierScratchFloats, all of which are written. Lines of y lie at least their length apart; they
// serve as a second buffer. Nothing overlaps y or scratch. The caller owns all memory.
#ifndef WEFT_KERNELS_FOURIER_FOURIER_H_
#define WEFT_KERNELS_FOURIER_FOURIER_H_

#include <cstdint>

namespace weft::kernels {

enum class FourierOp : uint8_t { kForward, kInverse, kForwardReal, kInverseReal };
inline constexpr uint8_t kFourierOpCount = 4;
inline constexpr uint32_t kMostFourierFactors = 12;

struct FourierShape {
  uint32_t lines = 0;
  uint32_t size = 0;
  uint32_t x_line_stride = 0;  // floats
  uint32_t y_line_stride = 0;
  float scale = 1;
  uint8_t factors[kMostFourierFactors] = {};  // zeros behind the last
  FourierOp op = FourierOp::kForward;
  bool has_window = false;  // of real numbers only
};

constexpr bool IsRealFourier(FourierOp op) { return op >= FourierOp::kForwardReal; }
constexpr bool IsFourierFactor(uint32_t factor) {
  return (factor >= 2 && factor <= 5) || factor == 7 || factor == 11 || factor == 13;
}

// What follows holds for any size and factors, unchecked ones too.

// A real line whose numbers are transformed in pairs.
constexpr bool IsPairedFourier(const FourierShape& s) {
  return IsRealFourier(s.op) && s.size % 2 == 0;
}
constexpr uint32_t FourierPoints(const FourierShape& s) {
  return IsPairedFourier(s) ? s.size / 2 : s.size;
}
// Floats of a line of x, of y.
constexpr uint64_t FourierInputs(const FourierShape& s) {
  if (s.op == FourierOp::kForwardReal) return s.size;
  return 2 * (s.op == FourierOp::kInverseReal ? uint64_t{s.size} / 2 + 1 : s.size);
}
constexpr uint64_t FourierOutputs(const FourierShape& s) {
  if (s.op == FourierOp::kInverseReal) return s.size;
  return 2 * (s.op == FourierOp::kForwardReal ? uint64_t{s.size} / 2 + 1 : s.size);
}
// One buffer of real and imaginary parts beside the line of y, which is too short for one where an
// odd number of real ones is transformed.
constexpr uint64_t FourierScratchFloats(const FourierShape& s) {
  const uint64_t buffer = 2 * uint64_t{FourierPoints(s)};
  return IsRealFourier(s.op) && s.size % 2 != 0 ? 2 * buffer : buffer;
}

// The tables one behind the other: the window; of lines in pairs, cosines and sines of the pass
// that takes them apart; per pass, what the butterflies of larger factors are made of (cosines,
// sines), then the factors between the passes, for each output j from 1 real parts, imaginary
// parts.
constexpr uint64_t FourierWindowFloats(const FourierShape& s) { return s.has_window ? s.size : 0; }
constexpr uint64_t FourierPairFloats(const FourierShape& s) {
  return IsPairedFourier(s) ? 2 * ((uint64_t{FourierPoints(s)} + 1) / 2) : 0;
}
constexpr uint64_t FourierCircleFloats(uint32_t factor) { return factor > 5 ? 2 * factor : 0; }
// `rest` is the product of the factors behind this one.
constexpr uint64_t FourierTurnFloats(uint32_t factor, uint32_t rest) {
  return rest == 1 ? 0 : 2 * (factor - 1) * uint64_t{rest};
}
constexpr uint64_t FourierTableFloats(const FourierShape& s) {
  uint64_t floats = FourierWindowFloats(s) + FourierPairFloats(s);
  uint32_t rest = FourierPoints(s);
  for (uint32_t i = 0; i < kMostFourierFactors && s.factors[i] != 0; ++i) {
    rest /= s.factors[i];
    floats += FourierCircleFloats(s.factors[i]) + FourierTurnFloats(s.factors[i], rest);
  }
  return floats;
}

void Fourier(const FourierShape& shape, const float* x, const float* tables, float* y,
             float* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_FOURIER_FOURIER_H_
