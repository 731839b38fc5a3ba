// SPDX-License-Identifier: Apache-2.0
// Elementwise stages of audio front ends in integers, bit-identical to the Signal operators of
// TensorFlow Lite for Microcontrollers. u32 and u64 numbers are stored as i32 and i64 with the same
// bits. Sums and products wrap around.
//
//   window       i16 y[i] = sat16(x[i] * a[i % length] >> shift), x and a i16
//   energy       u32 y[i] = re^2 + im^2 of pair i of x (i16), for a[0] <= i < a[1] (i32), else 0
//   square_root  u32 y[i] = sqrt(x[i]) >> a, x u64, a one i32; rounded to the nearest integer
//   logarithm    i16 y[i] = min(32767, scale * ln(x[i] << shift)), x u32; 0 if the shifted x[i] is
//                0 or 1; a is the table 2^16 (log2(1 + i / 128) - i / 128), i16, rounded
//
// A square root that rounds up to 2^16 for x below 2^32, or to 2^32, is one less. Shifts of 32 bits
// or more by `a` are reduced modulo 32.
#ifndef WEFT_KERNELS_SIGNAL_SIGNAL_H_
#define WEFT_KERNELS_SIGNAL_SIGNAL_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

enum class SignalOp : uint8_t { kWindow, kEnergy, kSquareRoot, kLogarithm };
inline constexpr uint32_t kSignalOpCount = 4;

struct SignalShape {
  uint32_t count = 0;   // elements of y
  uint32_t length = 0;  // of a window
  uint32_t scale = 0;
  uint32_t shift = 0;  // at most 31
  SignalOp op = SignalOp::kWindow;
};

inline constexpr uint32_t kLogarithmTable = 129;

// y of a window may be x. Nothing else may overlap.
void Signal(const SignalShape& shape, const void* x, const void* a, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIGNAL_SIGNAL_H_
