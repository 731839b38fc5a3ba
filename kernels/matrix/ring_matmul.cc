// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/ring_matmul.h"

namespace weft::kernels {
namespace {

// Consecutive steps in memory: `count` from `b` on. `at` is the index of the first one among all
// steps.
struct Run {
  const float* b;
  uint32_t count, at;
};

class RunProducts {
 public:
  RunProducts(const RingMatmulShape& shape, const float* a, float* y)
      : along_columns_(shape.is_along_columns), a_(a), y_(y) {
    product_.batch_rank = shape.batch_rank;
    for (uint32_t i = 0; i < kMatmulBatchRank; ++i) {
      product_.batch_dims[i] = shape.batch_dims[i];
      product_.a_batch_strides[i] = shape.a_batch_strides[i];
    }
    product_.rows = shape.rows;
    product_.columns = shape.columns;
    product_.inner = shape.inner;
    product_.a_row_stride = shape.a_row_stride;
    product_.a_inner_stride = shape.a_inner_stride;
    part_.y_row_stride = shape.columns;
  }

  void ReadFrom(const uint32_t (&batch_strides)[kMatmulBatchRank], uint32_t inner_stride,
                uint32_t column_stride) {
    for (uint32_t i = 0; i < kMatmulBatchRank; ++i) product_.b_batch_strides[i] = batch_strides[i];
    product_.b_inner_stride = inner_stride;
    product_.b_column_stride = column_stride;
  }

  // Computes separate columns, or adds the next terms of all sums.
  void Add(const Run& run) {
    if (run.count == 0) return;
    const float* a = a_;
    float* y = y_;
    if (along_columns_) {
      product_.columns = run.count;
      y += run.at;
    } else {
      product_.inner = run.count;
      a += size_t{run.at} * product_.a_inner_stride;
      part_.continues = run.at != 0;
    }
    MatmulInto(product_, part_, a, run.b, y);
  }

 private:
  const bool along_columns_;
  const float* const a_;
  float* const y_;
  MatmulShape product_;
  MatmulPart part_;
};

}  // namespace

void RingMatmul(const RingMatmulShape& shape, const float* a, const float* past, const float* x,
                const int32_t* start, float* y) {
  const bool along_columns = shape.is_along_columns;
  const uint32_t held = (along_columns ? shape.columns : shape.inner) - shape.positions;
  const size_t stride = along_columns ? shape.past_column_stride : shape.past_inner_stride;
  uint32_t oldest = start == nullptr ? 0 : static_cast<uint32_t>(*start);
  if (oldest >= held) oldest = 0;
  RunProducts products(shape, a, y);
  products.ReadFrom(shape.past_batch_strides, shape.past_inner_stride, shape.past_column_stride);
  products.Add({past + oldest * stride, held - oldest, 0});
  products.Add({past, oldest, held - oldest});
  products.ReadFrom(shape.x_batch_strides, shape.x_inner_stride, shape.x_column_stride);
  products.Add({x, shape.positions, held});
}

}  // namespace weft::kernels
