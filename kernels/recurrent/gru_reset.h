// SPDX-License-Identifier: Apache-2.0
// First half of a GRU cell whose reset comes before the recurrent product; pre has the sums before
// activation, in order z r:
//   z = f(pre_z)   reset_h = f(pre_r) * h
// With one row z may be pre (its first half). reset_h may be h. Nothing else may overlap. The
// caller owns all memory.
#ifndef WEFT_KERNELS_RECURRENT_GRU_RESET_H_
#define WEFT_KERNELS_RECURRENT_GRU_RESET_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"

namespace weft::kernels {

// pre is [rows, 2 * hidden] with pre_row_stride elements from row to row; the others are contiguous
// [rows, hidden].
struct GruResetShape {
  uint32_t rows = 0;
  uint32_t hidden = 0;
  uint32_t pre_row_stride = 0;
  Activation f;
};

void GruReset(const GruResetShape& shape, const float* pre, const float* h, float* z,
              float* reset_h);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_GRU_RESET_H_
