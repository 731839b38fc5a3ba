// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for lookup.
#ifndef WEFT_KERNELS_REFERENCE_LOOKUP_H_
#define WEFT_KERNELS_REFERENCE_LOOKUP_H_

#include "kernels/elementwise/lookup.h"

namespace weft::kernels {

inline int8_t LookupReference(const int8_t* table, int8_t x) {
  for (int32_t code = -128; code < 128; ++code, ++table) {
    if (x == code) break;
  }
  return *table;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_LOOKUP_H_
