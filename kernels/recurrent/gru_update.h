// SPDX-License-Identifier: Apache-2.0
// Second half of a GRU cell whose reset comes before the recurrent product:
//   n = g(pre)   h' = n + z * (h - n)
// The latter is fma(z, h - n, n). h_next may be z or h. It may be pre if there is one row or
// pre_row_stride is hidden. Nothing else may overlap. The caller owns all memory.
#ifndef WEFT_KERNELS_RECURRENT_GRU_UPDATE_H_
#define WEFT_KERNELS_RECURRENT_GRU_UPDATE_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"

namespace weft::kernels {

// pre is [rows, hidden] with pre_row_stride elements from row to row; the others are contiguous.
struct GruUpdateShape {
  uint32_t rows = 0;
  uint32_t hidden = 0;
  uint32_t pre_row_stride = 0;
  Activation g;
};

void GruUpdate(const GruUpdateShape& shape, const float* pre, const float* z, const float* h,
               float* h_next);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_GRU_UPDATE_H_
