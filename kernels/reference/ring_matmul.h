// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for ring_matmul, to be matched bit for bit, for a start within the ring.
#ifndef WEFT_KERNELS_REFERENCE_RING_MATMUL_H_
#define WEFT_KERNELS_REFERENCE_RING_MATMUL_H_

#include "kernels/matrix/ring_matmul.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline void RingMatmulReference(const RingMatmulShape& s, const float* a, const float* past,
                                const float* x, size_t start, float* y) {
  const size_t held = (s.is_along_columns ? s.columns : s.inner) - s.positions;
  for (size_t batch = 0; batch < CountOf(s.batch_dims, s.batch_rank); ++batch) {
    const auto from = [&](const uint32_t* strides) {
      return OffsetOf(batch, s.batch_rank, s.batch_dims, strides);
    };
    const float* from_a = a + from(s.a_batch_strides);
    const auto term = [&](size_t k, size_t n) {
      size_t& position = s.is_along_columns ? n : k;
      if (position >= held) {
        position -= held;
        return x[from(s.x_batch_strides) + k * s.x_inner_stride + n * s.x_column_stride];
      }
      position = (start + position) % held;
      return past[from(s.past_batch_strides) + k * s.past_inner_stride + n * s.past_column_stride];
    };
    for (size_t m = 0; m < s.rows; ++m) {
      for (size_t n = 0; n < s.columns; ++n) {
        float sum = 0;
        for (size_t k = 0; k < s.inner; ++k) {
          sum = std::fmaf(from_a[m * s.a_row_stride + k * s.a_inner_stride], term(k, n), sum);
        }
        *y++ = sum;
      }
    }
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_RING_MATMUL_H_
