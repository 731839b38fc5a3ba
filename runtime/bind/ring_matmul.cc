// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/ring_matmul.h"

#include "runtime/bind/step.h"

namespace weft::bind::ring_matmul {

namespace {

bool IsAlongColumns(const format::RingMatmulParams& params) {
  return params.along() == format::RingAlong::columns;
}

}  // namespace

static void Rules(const format::RingMatmulParams& params, ParamChecker& check) {
  const uint32_t all = IsAlongColumns(params) ? params.columns() : params.inner();
  check.RequireAtMost(FaultCode::kParamOp, params.along(),
                      static_cast<uint32_t>(format::RingAlong::MAX));
  check.RequireAtMost(FaultCode::kParamRank, params.batch_rank(), kernels::kMatmulBatchRank);
  check.RequireBelow(FaultCode::kParamWindow, params.positions(), all);
}

void Run(const format::RingMatmulParams& params, std::byte* const* operands) {
  kernels::RingMatmulShape shape;
  WEFT_FIELDS((batch_rank)(batch_dims)(a_batch_strides)(past_batch_strides)(x_batch_strides))
  WEFT_FIELDS((rows)(columns)(inner)(positions)(a_row_stride)(a_inner_stride))
  WEFT_FIELDS((past_inner_stride)(past_column_stride)(x_inner_stride)(x_column_stride))
  shape.is_along_columns = IsAlongColumns(params);
  kernels::RingMatmul(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                      As<const float>(operands[2]), As<const int32_t>(operands[3]),
                      As<float>(operands[4]));
}

}  // namespace weft::bind::ring_matmul

WEFT_BIND_STEP(ring_matmul, RingMatmul)
