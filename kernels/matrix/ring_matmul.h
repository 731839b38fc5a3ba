// SPDX-License-Identifier: Apache-2.0
// A product (matmul.h) with the past of a time axis read directly from its ring buffer (ring.h).
// The columns of b, or its rows, are the steps of the ring, oldest first, followed by those of x.
// Each output has the same accumulation order as in the product with a contiguous b.
//
// `start` is the index of the oldest step; an index beyond the ring, or a null pointer, counts as
// 0. y is contiguous and must not overlap another operand. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_RING_MATMUL_H_
#define WEFT_KERNELS_MATRIX_RING_MATMUL_H_

#include "kernels/matrix/matmul.h"

namespace weft::kernels {

// Strides in elements; 0 repeats.
struct RingMatmulShape {
  uint32_t batch_rank = 0;
  uint32_t batch_dims[kMatmulBatchRank] = {};
  uint32_t a_batch_strides[kMatmulBatchRank] = {};
  uint32_t past_batch_strides[kMatmulBatchRank] = {};
  uint32_t x_batch_strides[kMatmulBatchRank] = {};
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t inner = 0;
  uint32_t positions = 0;  // steps of x: the last columns, or terms
  uint32_t a_row_stride = 0;
  uint32_t a_inner_stride = 0;
  uint32_t past_inner_stride = 0;
  uint32_t past_column_stride = 0;
  uint32_t x_inner_stride = 0;
  uint32_t x_column_stride = 0;
  bool is_along_columns = false;  // else along the terms of the sums
};

void RingMatmul(const RingMatmulShape& shape, const float* a, const float* past, const float* x,
                const int32_t* start, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_RING_MATMUL_H_
