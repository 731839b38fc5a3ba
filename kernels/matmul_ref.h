// SPDX-License-Identifier: Apache-2.0
// Scalar twin of matmul: one chain per output, to be met to the bit.
#ifndef WEFT_KERNELS_MATMUL_REF_H_
#define WEFT_KERNELS_MATMUL_REF_H_

#include "kernels/matmul.h"
#include "kernels/twin.h"

namespace weft::kernels {

inline void MatmulTwin(const MatmulShape& s, const float* a, const float* b, float* y) {
  for (size_t batch = 0; batch < CountOf(s.batch_dims, s.batch_rank); ++batch) {
    const float* from_a = a + OffsetOf(batch, s.batch_rank, s.batch_dims, s.a_batch_strides);
    const float* from_b = b + OffsetOf(batch, s.batch_rank, s.batch_dims, s.b_batch_strides);
    for (size_t m = 0; m < s.rows; ++m) {
      for (size_t n = 0; n < s.columns; ++n) {
        float sum = 0.0f;
        for (size_t k = 0; k < s.inner; ++k) {
          sum = std::fmaf(from_a[m * s.a_row_stride + k * s.a_inner_stride],
                          from_b[k * s.b_inner_stride + n * s.b_column_stride], sum);
        }
        *y++ = sum;
      }
    }
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATMUL_REF_H_
