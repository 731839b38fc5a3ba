// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernels for matmul, to be matched bit for bit: one chain per output; one
// wrapping sum for integers.
#ifndef WEFT_KERNELS_REFERENCE_MATMUL_H_
#define WEFT_KERNELS_REFERENCE_MATMUL_H_

#include <type_traits>

#include "kernels/matrix/matmul.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

template <typename T>
T MatmulTerm(T a, T b, T sum) {
  if constexpr (std::is_same_v<T, float>) {
    return std::fmaf(a, b, sum);
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(sum));
  }
}

template <typename T>
void MatmulReference(const MatmulShape& s, const T* a, const T* b, T* y) {
  for (size_t batch = 0; batch < CountOf(s.batch_dims, s.batch_rank); ++batch) {
    const T* from_a = a + OffsetOf(batch, s.batch_rank, s.batch_dims, s.a_batch_strides);
    const T* from_b = b + OffsetOf(batch, s.batch_rank, s.batch_dims, s.b_batch_strides);
    for (size_t m = 0; m < s.rows; ++m) {
      for (size_t n = 0; n < s.columns; ++n) {
        T sum = 0;
        for (size_t k = 0; k < s.inner; ++k) {
          sum = MatmulTerm(from_a[m * s.a_row_stride + k * s.a_inner_stride],
                           from_b[k * s.b_inner_stride + n * s.b_column_stride], sum);
        }
        *y++ = sum;
      }
    }
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_MATMUL_H_
