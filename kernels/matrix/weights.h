// SPDX-License-Identifier: Apache-2.0
// Weight types other than float: a struct with the bits of one weight, so that kernels can be
// overloaded. weights.inc lists them.
#ifndef WEFT_KERNELS_MATRIX_WEIGHTS_H_
#define WEFT_KERNELS_MATRIX_WEIGHTS_H_

#include <cstdint>

// The weight type that a kernel's source is compiled for (weights.cc.in).
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

// Alignment in bytes of the first weight of a step, for every type: kernels load several at once.
inline constexpr uint32_t kWeightsAlignment = 4;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_WEIGHTS_H_
