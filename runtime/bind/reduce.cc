// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/variants.h"

namespace weft::bind::reduce {

Fault Check(const format::ReduceParams& params, const OperandSlots& slots) {
  const uint32_t op = static_cast<uint32_t>(params.op());
  const uint32_t type = static_cast<uint32_t>(params.type());
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireBelow(FaultCode::kParamOp, op, kernels::kReduceOpCount);
  check.RequireBelow(FaultCode::kParamOp, static_cast<uint32_t>(params.order()),
                     kernels::kReduceOrderCount);
  check.RequireBelow(FaultCode::kParamType, type, format::kElementTypeCount);
  const uint32_t rank = Plus(params.kept_rank(), params.reduced_rank());
  check.RequireAtMost(FaultCode::kParamRank, rank, kernels::kMaxRank);
  if (!check.fault().ok()) return check.fault();
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, type, 0);
  check.Require(kernels::ReduceKnows(static_cast<kernels::ReduceOp>(op), ElementOf(params.type())),
                FaultCode::kParamOpType, op, type);
  const uint32_t* dims = Numbers(params.dims());
  check.RequireOperand(0, params.type(), StridedReach(rank, dims, Numbers(params.strides())));
  check.RequireOperand(1, params.type(), StridedCount(params.kept_rank(), dims));
  return check.fault();
}

bool MayShare(const format::ReduceParams&, uint32_t, uint32_t) { return false; }

void Run(const format::ReduceParams& params, std::byte* const* operands) {
  kernels::ReduceShape shape;
  shape.kept_rank = params.kept_rank();
  shape.reduced_rank = params.reduced_rank();
  Assign(shape.dims, params.dims());
  Assign(shape.strides, params.strides());
  shape.op = static_cast<kernels::ReduceOp>(params.op());
  shape.type = ElementOf(params.type());
  shape.order = static_cast<kernels::ReduceOrder>(params.order());
  kernels::Reduce(shape, operands[0], operands[1]);
}

}  // namespace weft::bind::reduce

WEFT_BIND_STEP(reduce, Reduce)
