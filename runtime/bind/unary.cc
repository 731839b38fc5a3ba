// SPDX-License-Identifier: Apache-2.0
#include "kernels/unary.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/law.h"

namespace weft::bind::unary {

Fault Check(const format::UnaryParams& params, const OperandSlots& slots) {
  const format::Activation& activation = params.activation();
  const uint32_t op = static_cast<uint32_t>(activation.op());
  const uint32_t type = static_cast<uint32_t>(params.type());
  Law law(slots);
  law.Zero(activation.reserved0());
  law.Zero(activation.reserved1());
  law.Zero(params.reserved0());
  law.Zero(params.reserved1());
  law.Below(FaultCode::kParamOp, op, kernels::kUnaryOpCount);
  law.Below(FaultCode::kParamType, type, format::kElementTypeCount);
  if (!law.fault().ok()) return law.fault();
  law.Require(kernels::UnaryKnows(static_cast<kernels::UnaryOp>(op), ElementOf(params.type())),
              FaultCode::kParamOpType, op, type);
  if (params.type() == kF32) law.Linked(activation);
  law.Holds(0, params.type(), params.count());
  law.Holds(1, params.type(), params.count());
  return law.fault();
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
