// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for binary on quantised values: one pair.
#ifndef WEFT_KERNELS_REFERENCE_BINARY_Q8_H_
#define WEFT_KERNELS_REFERENCE_BINARY_Q8_H_

#include "kernels/elementwise/binary_q8.h"
#include "kernels/reference/quantize.h"

namespace weft::kernels {

inline int8_t BinaryQ8Reference(const BinaryQ8Shape& s, int8_t a, int8_t b) {
  const int32_t above_a = a - s.a_zero, above_b = b - s.b_zero;
  if (s.multiplies)
    return CodeReference(s.codes, static_cast<float>(above_a * above_b) * s.a_scale);
  const float of_a = static_cast<float>(above_a) * s.a_scale;
  const float of_b = static_cast<float>(above_b) * s.b_scale;
  return CodeReference(s.codes, of_a + of_b);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_BINARY_Q8_H_
