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
// An int8 that is multiplied by the scale of its output: float(code) * scale, rounded once, is the
// weight. A pointer to such weights points to the scales, f32, which precede the codes (pack.h).
struct Scaled8 {
  int8_t code;
};

// Number of elements of Weight in memory of `weights` weights and, if the type has them, `scales`
// scales.
template <class Weight>
constexpr uint64_t MemoryOf(uint64_t weights, uint64_t /*scales*/) {
  return weights;
}
template <>
constexpr uint64_t MemoryOf<Scaled8>(uint64_t weights, uint64_t scales) {
  return weights + scales * sizeof(float);
}

// Alignment in bytes of the first weight of a step, for every type: kernels load several at once.
inline constexpr uint32_t kWeightsAlignment = 4;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_WEIGHTS_H_
