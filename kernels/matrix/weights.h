// SPDX-License-Identifier: Apache-2.0
// Weights that are not float: the bits of one, so that overloads of a kernel tell them apart.
// weights.inc lists them.
#ifndef WEFT_KERNELS_MATRIX_WEIGHTS_H_
#define WEFT_KERNELS_MATRIX_WEIGHTS_H_

#include <cstdint>

// The type of weights that a kernel's source is compiled for (weights.cc.in).
#ifndef WEFT_WEIGHT
#define WEFT_WEIGHT float
#endif

namespace weft::kernels {

// IEEE half precision, and the upper half of a float.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

// Where weights of a step begin, whatever their type: kernels read several with one load.
inline constexpr uint32_t kWeightsAlignment = 4;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_WEIGHTS_H_
