// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of real numbers in fixed point, i16 or i32, bit-identical to the operators
// SignalRfft and SignalIrfft of TensorFlow Lite for Microcontrollers: each line is transformed as
// size / 2 complex numbers, by passes of radix 4, the first of radix 2 if need be. Every pass
// divides its inputs by its radix, so that a forward transform is divided by `size`.
//
// Numbers are integers in units of 2^-15 (i16) or 2^-31 (i32). A product is rounded to the nearest
// unit, halves up, and sums wrap around; a division by d is a product with floor(max / d), where
// max is the largest integer of the type.
//
//   forward_real   y[k] = DFT(x)[k], k = 0 .. size / 2, as pairs of real and imaginary part; x has
//                  `inputs` numbers, followed by zeros
//   inverse_real   y[j] = IDFT(x)[j], j = 0 .. size - 1, from the pairs of a forward transform
#ifndef WEFT_KERNELS_SIGNAL_FIXED_FOURIER_H_
#define WEFT_KERNELS_SIGNAL_FIXED_FOURIER_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

struct FixedFourierShape {
  uint32_t lines = 0;
  uint32_t size = 0;    // a power of two, at least 4
  uint32_t inputs = 0;  // of a line of x
  bool is_inverse = false;
};

constexpr bool IsFixedFourierSize(uint32_t size) { return size >= 4 && (size & (size - 1)) == 0; }
// Numbers of a line that has pairs.
constexpr uint64_t FixedFourierPairs(uint32_t size) { return uint64_t{size} + 2; }
// The tables: pairs (cos, sin) of the angles -2 pi i / n, i = 0 .. n - 1, n = size / 2, then of the
// angles -pi (i / n + 1 / 2), i = 1 .. n / 2. Angles of an inverse transform are positive. A number
// v is stored as floor(v * max + 1/2).
constexpr uint64_t FixedFourierTable(uint32_t size) { return uint64_t{size} / 2 * 3; }

// Lines are contiguous. Nothing may overlap.
void FixedFourier(const FixedFourierShape& shape, const int16_t* x, const int16_t* table,
                  int16_t* y);
void FixedFourier(const FixedFourierShape& shape, const int32_t* x, const int32_t* table,
                  int32_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIGNAL_FIXED_FOURIER_H_
