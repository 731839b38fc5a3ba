// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of lines of n = size numbers. A complex number is two adjacent
// floats: real part, imaginary part. With w = exp(-2 pi i / n):
//
//   kForward      y[k] = scale * sum_j x[j] w^jk         x: n complex numbers, y: n
//   kInverse      y[k] = scale * sum_j x[j] w^-jk        x: n complex numbers, y: n
//   kForwardReal  as kForward of x[j] * window[j]        x: n real numbers, y: the first n / 2 + 1
//   kInverseReal  as kInverse, times window[k]           x: the first n / 2 + 1, y: n real numbers
//
// kInverseReal computes the missing numbers as conjugates of the given ones. The imaginary part of
// the first number, and of the last if n is even, is ignored. Without a window its factor is
// omitted.
//
// m = FourierPoints numbers are transformed. m is n, or n / 2 if n is even and one side is real:
// each number then is two adjacent real numbers, and one more pass separates or joins them. m is
// the product of `factors`, each 2, 3, 4, 5, 7, 11 or 13, with one pass per factor (Stockham's
// autosort order, no permutation), so that a sum is a tree of short accumulations. A complex
// product is one rounded product and one fused multiply-add; the last pass has none. No sum crosses
// lanes.
//
// `tables` holds FourierTableFloats, written by kernels/fourier/fourier_tables.h. `scratch` holds
// FourierScratchFloats, which are overwritten completely. Lines of y are at least their length
// apart; they are used as a second buffer. Nothing overlaps y or scratch. The caller owns all
// memory.
#ifndef WEFT_KERNELS_FOURIER_FOURIER_H_
#define WEFT_KERNELS_FOURIER_FOURIER_H_

#include <cstdint>

namespace weft::kernels {

enum class FourierOp : uint8_t { kForward, kInverse, kForwardReal, kInverseReal };
inline constexpr uint8_t kFourierOpCount = 4;
inline constexpr uint32_t kMaxFourierFactors = 12;

struct FourierShape {
  uint32_t lines = 0;
  uint32_t size = 0;
  uint32_t x_line_stride = 0;  // floats
  uint32_t y_line_stride = 0;
  float scale = 1;
  uint8_t factors[kMaxFourierFactors] = {};  // zeros after the last
  FourierOp op = FourierOp::kForward;
  bool has_window = false;  // of real numbers only
};

constexpr bool IsRealFourier(FourierOp op) { return op >= FourierOp::kForwardReal; }
constexpr bool IsFourierFactor(uint32_t factor) {
  return (factor >= 2 && factor <= 5) || factor == 7 || factor == 11 || factor == 13;
}

// The following functions accept any size and factors, including unchecked ones.

// Returns true for a real line whose numbers are transformed in pairs.
constexpr bool IsPairedFourier(const FourierShape& s) {
  return IsRealFourier(s.op) && s.size % 2 == 0;
}
constexpr uint32_t FourierPoints(const FourierShape& s) {
  return IsPairedFourier(s) ? s.size / 2 : s.size;
}
// Floats of a line of x and of a line of y.
constexpr uint64_t FourierInputs(const FourierShape& s) {
  if (s.op == FourierOp::kForwardReal) return s.size;
  return 2 * (s.op == FourierOp::kInverseReal ? uint64_t{s.size} / 2 + 1 : s.size);
}
constexpr uint64_t FourierOutputs(const FourierShape& s) {
  if (s.op == FourierOp::kInverseReal) return s.size;
  return 2 * (s.op == FourierOp::kForwardReal ? uint64_t{s.size} / 2 + 1 : s.size);
}
// One buffer of real and imaginary parts; the line of y is the other one. For a real line of odd
// size y is too short, so scratch holds both buffers.
constexpr uint64_t FourierScratchFloats(const FourierShape& s) {
  const uint64_t buffer = 2 * uint64_t{FourierPoints(s)};
  return IsRealFourier(s.op) && s.size % 2 != 0 ? 2 * buffer : buffer;
}

// The tables are stored in this order: the window; for lines in pairs, cosines and sines of the
// pass that separates them; then for each pass the cosines and sines of its butterfly (larger
// factors only), followed by the twiddle factors (for each output j from 1: real parts, imaginary
// parts).
constexpr uint64_t FourierWindowFloats(const FourierShape& s) { return s.has_window ? s.size : 0; }
constexpr uint64_t FourierPairFloats(const FourierShape& s) {
  return IsPairedFourier(s) ? 2 * ((uint64_t{FourierPoints(s)} + 1) / 2) : 0;
}
constexpr uint64_t FourierCircleFloats(uint32_t factor) {
  return factor > 5 ? uint64_t{2} * factor : 0;
}
// `rest` is the product of the factors after this one.
constexpr uint64_t FourierTwiddleFloats(uint32_t factor, uint32_t rest) {
  return rest == 1 ? 0 : uint64_t{2} * (factor - 1) * rest;
}
constexpr uint64_t FourierTableFloats(const FourierShape& s) {
  uint64_t floats = FourierWindowFloats(s) + FourierPairFloats(s);
  uint32_t rest = FourierPoints(s);
  for (uint32_t i = 0; i < kMaxFourierFactors && s.factors[i] != 0; ++i) {
    rest /= s.factors[i];
    floats += FourierCircleFloats(s.factors[i]) + FourierTwiddleFloats(s.factors[i], rest);
  }
  return floats;
}

void Fourier(const FourierShape& shape, const float* x, const float* tables, float* y,
             float* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_FOURIER_FOURIER_H_
