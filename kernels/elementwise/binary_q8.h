// SPDX-License-Identifier: Apache-2.0
// Sums and products of int8 values, each with its own scale: y is the quantised value
// (code_range.h) of
//
//   add        (a - a_zero) * a_scale + (b - b_zero) * b_scale
//   multiply   (a - a_zero) * (b - b_zero) * a_scale      the integer product first
//
// with each float operation rounded separately. y is contiguous over dims; a and b are read with
// their strides, so that stride 0 broadcasts. y may be an operand that is contiguous.
//
// Codes by integers (requantise.h), with A = a - a_zero, B = b - b_zero and the multipliers a, b,
// y:
//
//   add, subtract        Rescaled(Rescaled(A * 2^20, a) +- Rescaled(B * 2^20, b), y)
//   squared_difference   Rescaled((Rescaled(A * 2^7, a) - Rescaled(B * 2^7, b))^2, y)
//   multiply             Rescaled(A * B, y)
//   prelu                Rescaled(A, a), or Rescaled(A * B, y) for a negative A
//   divide               A / B times the factor of y (binary_q8_quotients.h)
//
// Sums and products wrap around.
#ifndef WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_H_
#define WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_H_

#include "kernels/element.h"
#include "kernels/elementwise/binary.h"
#include "kernels/simd/requantise.h"

namespace weft::kernels {

// Bits of fraction of the operands of a sum, and of a squared difference.
inline constexpr int kSumFraction = 20, kSquareFraction = 7;

// Scales may have either sign; their magnitude is from kMinScale to kMaxScale.
struct BinaryQ8Shape {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t a_strides[kMaxRank] = {};
  uint32_t b_strides[kMaxRank] = {};
  float a_scale = 1.0f, b_scale = 1.0f;
  CodeRange codes;
  int8_t a_zero = 0, b_zero = 0;
  BinaryOp op = BinaryOp::kAdd;
  Multiplier a_multiplier, b_multiplier, multiplier;  // of codes by integers
};

void BinaryQ8(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_H_
