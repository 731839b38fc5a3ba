// SPDX-License-Identifier: Apache-2.0
// Integer functions of one quantised value, bit-identical to tflite-micro. With X = x - x_zero:
//
//   rescale   Rescaled(X, X < 0 ? below : above) + zero, limited to [low, high] unless y is i32
//   sigmoid   1 / (1 + exp(-t)) in units of 2^-15, by interpolation in a table of 256 numbers
//   tanh      tanh(t) in the same units
//
// The argument t of a function is (x * mantissa + half) / 2^-exponent of `above` in units of
// 1/12288, rounded down. x and y of functions are i16; x and y of rescale are i8, i16 or i32, each.
// Sums wrap around. y may be x if their types have the same size.
//
// x of rescale may also be sums of products of int16 codes, as i64: y is i16,
// RescaledOnce(x, above) limited to [low, high], and x_zero, zero and `below` are 0.
#ifndef WEFT_KERNELS_ELEMENTWISE_UNARY_Q8_H_
#define WEFT_KERNELS_ELEMENTWISE_UNARY_Q8_H_

#include "kernels/element.h"
#include "kernels/simd/requantise.h"

namespace weft::kernels {

// As in weft.fbs.
enum class CodeFunction : uint8_t { kRescale, kSigmoid, kTanh };
inline constexpr uint32_t kCodeFunctionCount = 3;

// The mantissa of `below` may be negative.
struct UnaryQ8Shape {
  uint32_t count = 0;
  int32_t x_zero = 0, zero = 0, low = 0, high = 0;
  Multiplier above, below;
  CodeFunction op = CodeFunction::kRescale;
  Element from = Element::kI16, to = Element::kI16;
};

void UnaryQ8(const UnaryQ8Shape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_UNARY_Q8_H_
