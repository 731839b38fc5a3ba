// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/normalize.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::normalize {

Fault Check(const format::NormalizeParams& params, const OperandSlots& slots) {
  const uint32_t op = static_cast<uint32_t>(params.op());
  const uint32_t count = Times(Times(params.outer(), params.axis()), params.inner());
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.RequireBelow(FaultCode::kParamOp, op, kernels::kNormalizeOpCount);
  check.RequireOperand(0, kF32, count);
  check.RequireOperand(1, kF32, count);
  return check.fault();
}

bool MayShare(const format::NormalizeParams&, uint32_t, uint32_t) { return true; }

void Run(const format::NormalizeParams& params, std::byte* const* operands) {
  kernels::NormalizeShape shape;
  shape.outer = params.outer();
  shape.axis = params.axis();
  shape.inner = params.inner();
  shape.epsilon = params.epsilon();
  shape.op = static_cast<kernels::NormalizeOp>(params.op());
  kernels::Normalize(shape, As<const float>(operands[0]), As<float>(operands[1]));
}

}  // namespace weft::bind::normalize

WEFT_BIND_STEP(normalize, Normalize)
