// SPDX-License-Identifier: Apache-2.0
// Sums and products of int8 values, each with its own scale: y is the quantised value
// (code_range.h) of
//
//   add        (a - a_zero) * a_scale + (b - b_zero) * b_scale
//   multiply   (a - a_zero) * (b - b_zero) * a_scale      the integer product first
//
// with each float operation rounded separately. y is contiguous over dims; a and b are read with
// their strides, so that stride 0 broadcasts. y may be an operand that is contiguous.
#ifndef WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_H_
#define WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_H_

#include "kernels/element.h"
#include "kernels/simd/code_range.h"

namespace weft::kernels {

// Scales may have either sign; their magnitude is from kMinScale to kMaxScale.
struct BinaryQ8Shape {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t a_strides[kMaxRank] = {};
  uint32_t b_strides[kMaxRank] = {};
  float a_scale = 1.0f, b_scale = 1.0f;
  CodeRange codes;
  int8_t a_zero = 0, b_zero = 0;
  bool multiplies = false;
};

void BinaryQ8(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_H_
