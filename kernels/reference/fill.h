// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for fill: byte `at` of y.
#ifndef WEFT_KERNELS_REFERENCE_FILL_H_
#define WEFT_KERNELS_REFERENCE_FILL_H_

#include "kernels/movement/fill.h"

namespace weft::kernels {

inline uint8_t FillByteReference(const FillShape& s, size_t at) {
  const uint32_t byte = static_cast<uint32_t>(at % s.element_bytes);
  return static_cast<uint8_t>(byte < 4 ? s.bits_low >> (8 * byte)
                                       : s.bits_high >> (8 * (byte - 4)));
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_FILL_H_
