// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/lookup.h"

namespace weft::kernels {

void Lookup(uint32_t count, const int8_t* x, const int8_t* table, int8_t* y) {
  for (size_t i = 0; i < count; ++i) y[i] = table[x[i] + 128];
}

}  // namespace weft::kernels
