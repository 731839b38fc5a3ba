// SPDX-License-Identifier: Apache-2.0
// Quantises floats to i8: y = the code of x * inverse (code_range.h). y must not overlap x.
#ifndef WEFT_KERNELS_ELEMENTWISE_QUANTIZE_H_
#define WEFT_KERNELS_ELEMENTWISE_QUANTIZE_H_

#include "kernels/simd/code_range.h"

namespace weft::kernels {

// `inverse` is from kMinScale to kMaxScale.
struct QuantizeShape {
  uint32_t count = 0;
  float inverse = 1.0f;
  CodeRange codes;
};

void Quantize(const QuantizeShape& shape, const float* x, int8_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_QUANTIZE_H_
