// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/variants.h"

namespace weft::bind::binary {

Fault Check(const format::BinaryParams& params, const OperandSlots& slots) {
  const uint32_t op = static_cast<uint32_t>(params.op());
  const uint32_t type = static_cast<uint32_t>(params.type());
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireBelow(FaultCode::kParamOp, op, kernels::kBinaryOpCount);
  check.RequireBelow(FaultCode::kParamType, type, format::kElementTypeCount);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  if (!check.fault().ok()) return check.fault();
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, type, 0);
  check.Require(kernels::BinaryKnows(static_cast<kernels::BinaryOp>(op), ElementOf(params.type())),
                FaultCode::kParamOpType, op, type);
  const uint32_t rank = params.rank();
  const uint32_t* dims = Numbers(params.dims());
  check.RequireOperand(0, params.type(), StridedReach(rank, dims, Numbers(params.a_strides())));
  check.RequireOperand(1, params.type(), StridedReach(rank, dims, Numbers(params.b_strides())));
  check.RequireOperand(2, params.type(), StridedCount(rank, dims));
  return check.fault();
}

// y may overwrite an operand that is not broadcast: its element is read before that of y is
// written.
bool MayShare(const format::BinaryParams& params, uint32_t input, uint32_t) {
  const auto* strides = input == 0 ? params.a_strides() : params.b_strides();
  return params.rank() <= kernels::kMaxRank &&
         IsInOrder(params.rank(), Numbers(params.dims()), Numbers(strides));
}

void Run(const format::BinaryParams& params, std::byte* const* operands) {
  if (IsOneElement(params.rank(), Numbers(params.dims()))) {
    return kernels::BinaryOne(static_cast<kernels::BinaryOp>(params.op()), ElementOf(params.type()),
                              operands[0], operands[1], operands[2]);
  }
  kernels::BinaryShape shape;
  shape.rank = params.rank();
  Assign(shape.dims, params.dims());
  Assign(shape.a_strides, params.a_strides());
  Assign(shape.b_strides, params.b_strides());
  shape.op = static_cast<kernels::BinaryOp>(params.op());
  shape.type = ElementOf(params.type());
  kernels::Binary(shape, operands[0], operands[1], operands[2]);
}

}  // namespace weft::bind::binary

WEFT_BIND_STEP(binary, Binary)
