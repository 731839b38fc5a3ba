// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::matmul {

Fault Check(const format::MatmulParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireAtMost(FaultCode::kParamRank, params.batch_rank(), kernels::kMatmulBatchRank);
  if (!check.fault().ok()) return check.fault();
  const uint32_t rank = params.batch_rank();
  const uint32_t* dims = Numbers(params.batch_dims());
  const uint32_t rows = params.rows();
  const uint32_t columns = params.columns();
  const uint32_t inner = params.inner();
  const uint32_t y_count = Times(Times(WalkCount(rank, dims), rows), columns);
  // The walk over one matrix of a is two more dims after those of the batch, and so for b.
  const auto reach = [&](const uint32_t* batch_strides, uint32_t count, uint32_t stride,
                         uint32_t inner_stride) -> uint32_t {
    if (y_count == 0 || inner == 0) return 0;
    return Plus(WalkReach(rank, dims, batch_strides),
                Plus(Times(count - 1, stride), Times(inner - 1, inner_stride)));
  };
  check.RequireOperand(0, kF32,
                       reach(Numbers(params.a_batch_strides()), rows, params.a_row_stride(),
                             params.a_inner_stride()));
  check.RequireOperand(1, kF32,
                       reach(Numbers(params.b_batch_strides()), columns, params.b_column_stride(),
                             params.b_inner_stride()));
  check.RequireOperand(2, kF32, y_count);
  return check.fault();
}

bool MayShare(const format::MatmulParams&, uint32_t, uint32_t) { return false; }

void Run(const format::MatmulParams& params, std::byte* const* operands) {
  kernels::MatmulShape shape;
  shape.batch_rank = params.batch_rank();
  Assign(shape.batch_dims, params.batch_dims());
  Assign(shape.a_batch_strides, params.a_batch_strides());
  Assign(shape.b_batch_strides, params.b_batch_strides());
  shape.rows = params.rows();
  shape.columns = params.columns();
  shape.inner = params.inner();
  shape.a_row_stride = params.a_row_stride();
  shape.a_inner_stride = params.a_inner_stride();
  shape.b_inner_stride = params.b_inner_stride();
  shape.b_column_stride = params.b_column_stride();
  kernels::Matmul(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                  As<float>(operands[2]));
}

}  // namespace weft::bind::matmul

WEFT_BIND_STEP(matmul, Matmul)
