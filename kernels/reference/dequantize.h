// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for dequantize, in double, which represents the product exactly.
#ifndef WEFT_KERNELS_REFERENCE_DEQUANTIZE_H_
#define WEFT_KERNELS_REFERENCE_DEQUANTIZE_H_

#include "kernels/elementwise/dequantize.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline float DequantizeReference(const DequantizeShape& s, int8_t x) {
  return static_cast<float>(static_cast<double>(x - s.zero) * static_cast<double>(s.scale));
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DEQUANTIZE_H_
