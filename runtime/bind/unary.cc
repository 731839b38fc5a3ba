// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/unary.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::unary {

Fault Check(const format::UnaryParams& params, const OperandSlots& slots) {
  const format::Activation& activation = params.activation();
  const uint32_t op = static_cast<uint32_t>(activation.op());
  const uint32_t type = static_cast<uint32_t>(params.type());
  ParamChecker check(slots);
  check.RequireZero(activation.reserved0());
  check.RequireZero(activation.reserved1());
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.RequireBelow(FaultCode::kParamOp, op, kernels::kUnaryOpCount);
  check.RequireBelow(FaultCode::kParamType, type, format::kElementTypeCount);
  if (!check.fault().ok()) return check.fault();
  check.Require(kernels::UnaryKnows(static_cast<kernels::UnaryOp>(op), ElementOf(params.type())),
                FaultCode::kParamOpType, op, type);
  if (params.type() == kF32) check.RequireLinkedActivation(activation);
  check.RequireOperand(0, params.type(), params.count());
  check.RequireOperand(1, params.type(), params.count());
  return check.fault();
}

bool MayShare(const format::UnaryParams&, uint32_t, uint32_t) { return true; }

void Run(const format::UnaryParams& params, std::byte* const* operands) {
  kernels::UnaryShape shape;
  shape.count = params.count();
  shape.activation = ActivationOf(params.activation());
  shape.type = ElementOf(params.type());
  kernels::Unary(shape, operands[0], operands[1]);
}

}  // namespace weft::bind::unary

WEFT_BIND_STEP(unary, Unary)
