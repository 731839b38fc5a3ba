// SPDX-License-Identifier: Apache-2.0
// The elementwise part of a GRU cell whose reset comes after the recurrent product
// (linear_before_reset). Both parts are sums before activation, in order z r h:
//   z = f(x_z + r_z)   r = f(x_r + r_r)   n = g(x_h + r * r_h)   h' = n + z * (h - n)
// with one fused multiply-add each in n and h'. h_next may be h; nothing else may overlap. The
// caller owns all memory. Uses 1 KB of stack.
#ifndef WEFT_KERNELS_RECURRENT_GRU_GATES_H_
#define WEFT_KERNELS_RECURRENT_GRU_GATES_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"

namespace weft::kernels {

// Both parts are [rows, 3 * hidden], with their row strides in elements; h and h_next are
// contiguous [rows, hidden].
struct GruGatesShape {
  uint32_t rows = 0;
  uint32_t hidden = 0;
  uint32_t x_row_stride = 0;
  uint32_t r_row_stride = 0;
  Activation f;
  Activation g;
};

void GruGates(const GruGatesShape& shape, const float* x_part, const float* recurrent_part,
              const float* h, float* h_next);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_GRU_GATES_H_
