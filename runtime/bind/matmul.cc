// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/matmul.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::matmul {

using format::ElementType;

Fault Check(const format::MatmulParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  const ElementType type = params.type();
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.Require(type == kF32 || type == ElementType::i32 || type == ElementType::i64,
                FaultCode::kParamType, static_cast<uint32_t>(type), 0);
  check.RequireAtMost(FaultCode::kParamRank, params.batch_rank(), kernels::kMatmulBatchRank);
  if (!check.fault().ok()) return check.fault();
  const uint32_t rank = params.batch_rank();
  const uint32_t* dims = Numbers(params.batch_dims());
  const uint32_t rows = params.rows();
  const uint32_t columns = params.columns();
  const uint32_t inner = params.inner();
  const uint32_t y_count = Times(Times(StridedCount(rank, dims), rows), columns);
  // The access to one matrix of a (or b) has two more dims after those of the batch.
  const auto reach = [&](const uint32_t* batch_strides, uint32_t count, uint32_t stride,
                         uint32_t inner_stride) -> uint32_t {
    if (y_count == 0 || inner == 0) return 0;
    return Plus(StridedReach(rank, dims, batch_strides),
                Plus(Times(count - 1, stride), Times(inner - 1, inner_stride)));
  };
  check.RequireOperand(0, type,
                       reach(Numbers(params.a_batch_strides()), rows, params.a_row_stride(),
                             params.a_inner_stride()));
  check.RequireOperand(1, type,
                       reach(Numbers(params.b_batch_strides()), columns, params.b_column_stride(),
                             params.b_inner_stride()));
  check.RequireOperand(2, type, y_count);
  return check.fault();
}

template <typename T>
void Multiply(const kernels::MatmulShape& shape, std::byte* const* operands) {
  kernels::Matmul(shape, As<const T>(operands[0]), As<const T>(operands[1]), As<T>(operands[2]));
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
  switch (params.type()) {
    case ElementType::i32:
      return Multiply<int32_t>(shape, operands);
    case ElementType::i64:
      return Multiply<int64_t>(shape, operands);
    default:
      return Multiply<float>(shape, operands);
  }
}

}  // namespace weft::bind::matmul

WEFT_BIND_STEP(matmul, Matmul)
