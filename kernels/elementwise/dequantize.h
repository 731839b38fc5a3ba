// SPDX-License-Identifier: Apache-2.0
// Dequantises i8 values: y = (x - zero) * scale, rounded once. y must not overlap x.
#ifndef WEFT_KERNELS_ELEMENTWISE_DEQUANTIZE_H_
#define WEFT_KERNELS_ELEMENTWISE_DEQUANTIZE_H_

#include "kernels/simd/code_range.h"

namespace weft::kernels {

// `scale` is from kMinScale to kMaxScale.
struct DequantizeShape {
  uint32_t count = 0;
  float scale = 1.0f;
  int8_t zero = 0;
};

void Dequantize(const DequantizeShape& shape, const int8_t* x, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_DEQUANTIZE_H_
