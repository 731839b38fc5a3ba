// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/unary.h"

#include "runtime/bind/step.h"

namespace weft::bind::unary {

static void Rules(const format::UnaryParams& params, ParamChecker& check) {
  const format::Activation& activation = params.activation();
  check.RequireZero(ReservedOf(activation, 0));
  check.RequireBelow(FaultCode::kParamOp, activation.op(), kernels::kUnaryOpCount);
  check.RequireBelow(FaultCode::kParamType, params.type(), format::kElementTypeCount);
  if (!check.ok()) return;
  check.Require(
      kernels::UnaryKnows(static_cast<kernels::UnaryOp>(activation.op()), ElementOf(params.type())),
      FaultCode::kParamOpType, activation.op(), params.type());
  if (params.type() == kF32) check.RequireLinkedActivation(activation);
}

WEFT_RUN(Unary, (count)(activation)(type))

}  // namespace weft::bind::unary

WEFT_BIND_STEP(unary, Unary)
