// SPDX-License-Identifier: Apache-2.0
// Product of two matrices that are both data: y[..,m,n] = sum_k a[..,m,k] * b[..,k,n]. Strides can
// transpose any operand or broadcast it over the batch. Each output is one chain of fused
// multiply-adds over ascending k that begins at 0, on every target. Integer sums wrap around and
// are exact in any order. y is contiguous and must not overlap a or b. If b's columns are not
// contiguous, Matmul uses 16 KB of stack, about 1 KB on boards. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_MATMUL_H_
#define WEFT_KERNELS_MATRIX_MATMUL_H_

#include "kernels/element.h"

namespace weft::kernels {

inline constexpr uint32_t kMatmulBatchRank = 6;

// Strides in elements; 0 repeats.
struct MatmulShape {
  uint32_t batch_rank = 0;
  uint32_t batch_dims[kMatmulBatchRank] = {};
  uint32_t a_batch_strides[kMatmulBatchRank] = {};
  uint32_t b_batch_strides[kMatmulBatchRank] = {};
  uint32_t rows = 0;     // m
  uint32_t columns = 0;  // n
  uint32_t inner = 0;    // k; with 0 y is all zeros
  uint32_t a_row_stride = 0;
  uint32_t a_inner_stride = 0;
  uint32_t b_inner_stride = 0;
  uint32_t b_column_stride = 0;
};

void Matmul(const MatmulShape& shape, const float* a, const float* b, float* y);

// Part of a product whose b is stored in several parts: y has the given row stride, and sums
// continue from the values in y if `continues`.
struct MatmulPart {
  uint32_t y_row_stride = 0;
  bool continues = false;
};
void MatmulInto(const MatmulShape& shape, const MatmulPart& part, const float* a, const float* b,
                float* y);

// Products of int16 with sums of 32 bits, which wrap around. At most 1.2 KB of stack on boards.
void Matmul(const MatmulShape& shape, const int16_t* a, const int16_t* b, int32_t* y);
void Matmul(const MatmulShape& shape, const int32_t* a, const int32_t* b, int32_t* y);
void Matmul(const MatmulShape& shape, const int64_t* a, const int64_t* b, int64_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_MATMUL_H_
