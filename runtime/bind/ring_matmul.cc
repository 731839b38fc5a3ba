// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/ring_matmul.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::ring_matmul {

namespace {

bool IsAlongColumns(const format::RingMatmulParams& params) {
  return params.along() == format::RingAlong::columns;
}

}  // namespace

Fault Check(const format::RingMatmulParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.RequireAtMost(FaultCode::kParamOp, static_cast<uint32_t>(params.along()),
                      static_cast<uint32_t>(format::RingAlong::MAX));
  check.RequireAtMost(FaultCode::kParamRank, params.batch_rank(), kernels::kMatmulBatchRank);
  if (!check.fault().ok()) return check.fault();
  const bool along_columns = IsAlongColumns(params);
  const uint32_t all = along_columns ? params.columns() : params.inner();
  check.RequireBelow(FaultCode::kParamWindow, params.positions(), all);
  if (!check.fault().ok()) return check.fault();
  const uint32_t rank = params.batch_rank();
  const uint32_t* dims = Numbers(params.batch_dims());
  const uint32_t inner = params.inner();
  const uint32_t y_count = Times(Times(StridedCount(rank, dims), params.rows()), params.columns());
  // As in matmul, for matrices of these extents.
  const auto reach = [&](const uint32_t* batch_strides, uint32_t count, uint32_t stride,
                         uint32_t terms, uint32_t term_stride) -> uint32_t {
    if (y_count == 0 || count == 0 || terms == 0) return 0;
    return Plus(StridedReach(rank, dims, batch_strides),
                Plus(Times(count - 1, stride), Times(terms - 1, term_stride)));
  };
  const auto reach_of_positions = [&](uint32_t positions, const uint32_t* batch_strides,
                                      uint32_t column_stride, uint32_t inner_stride) {
    return reach(batch_strides, along_columns ? positions : params.columns(), column_stride,
                 along_columns ? inner : positions, inner_stride);
  };
  check.RequireOperand(0, kF32,
                       reach(Numbers(params.a_batch_strides()), params.rows(),
                             params.a_row_stride(), inner, params.a_inner_stride()));
  check.RequireOperand(
      1, kF32,
      reach_of_positions(all - params.positions(), Numbers(params.past_batch_strides()),
                         params.past_column_stride(), params.past_inner_stride()));
  check.RequireOperand(2, kF32,
                       reach_of_positions(params.positions(), Numbers(params.x_batch_strides()),
                                          params.x_column_stride(), params.x_inner_stride()));
  check.RequireOperand(3, format::ElementType::i32, 1);
  check.RequireOperand(4, kF32, y_count);
  return check.fault();
}

bool MayShare(const format::RingMatmulParams&, uint32_t, uint32_t) { return false; }

void Run(const format::RingMatmulParams& params, std::byte* const* operands) {
  kernels::RingMatmulShape shape;
  shape.batch_rank = params.batch_rank();
  Assign(shape.batch_dims, params.batch_dims());
  Assign(shape.a_batch_strides, params.a_batch_strides());
  Assign(shape.past_batch_strides, params.past_batch_strides());
  Assign(shape.x_batch_strides, params.x_batch_strides());
  shape.rows = params.rows();
  shape.columns = params.columns();
  shape.inner = params.inner();
  shape.positions = params.positions();
  shape.a_row_stride = params.a_row_stride();
  shape.a_inner_stride = params.a_inner_stride();
  shape.past_inner_stride = params.past_inner_stride();
  shape.past_column_stride = params.past_column_stride();
  shape.x_inner_stride = params.x_inner_stride();
  shape.x_column_stride = params.x_column_stride();
  shape.is_along_columns = IsAlongColumns(params);
  kernels::RingMatmul(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                      As<const float>(operands[2]), As<const int32_t>(operands[3]),
                      As<float>(operands[4]));
}

}  // namespace weft::bind::ring_matmul

WEFT_BIND_STEP(ring_matmul, RingMatmul)
