// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::softmax {

Fault Check(const format::SoftmaxParams& params, const OperandSlots& slots) {
  const uint32_t count = Times(Times(params.outer(), params.axis()), params.inner());
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireAtMost(FaultCode::kParamFlag, params.logarithm(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.causal(), 1);
  if (params.causal() != 0) {
    check.RequireAtMost(FaultCode::kParamFlag, params.logarithm(), 0);
    check.RequireAtMost(FaultCode::kParamFlag, params.inner(), 1);
  }
  check.RequireOperand(0, kF32, count);
  check.RequireOperand(1, kF32, count);
  return check.fault();
}

bool MayShare(const format::SoftmaxParams&, uint32_t, uint32_t) { return true; }

void Run(const format::SoftmaxParams& params, std::byte* const* operands) {
  kernels::SoftmaxShape shape;
  shape.outer = params.outer();
  shape.axis = params.axis();
  shape.inner = params.inner();
  shape.logarithm = params.logarithm();
  shape.causal = params.causal();
  kernels::Softmax(shape, As<const float>(operands[0]), As<float>(operands[1]));
}

}  // namespace weft::bind::softmax

WEFT_BIND_STEP(softmax, Softmax)
