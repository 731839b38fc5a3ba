// SPDX-License-Identifier: Apache-2.0
// Sets all elements to the same bits: y[i] = bits, for elements of 1, 2, 4 or 8 bytes. bits_low
// holds the lower half; smaller elements ignore the upper bits. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_FILL_H_
#define WEFT_KERNELS_MOVEMENT_FILL_H_

#include "kernels/element.h"

namespace weft::kernels {

struct FillShape {
  uint32_t count = 0;
  uint32_t element_bytes = 0;
  uint32_t bits_low = 0;
  uint32_t bits_high = 0;
};

void Fill(const FillShape& shape, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_FILL_H_
