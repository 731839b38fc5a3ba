// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary.h"

#include "runtime/bind/step.h"
#include "runtime/bind/variants.h"

namespace weft::bind::binary {

static void Rules(const format::BinaryParams& params, ParamChecker& check) {
  check.RequireBelow(FaultCode::kParamOp, params.op(), kernels::kBinaryOpCount);
  check.RequireBelow(FaultCode::kParamType, params.type(), format::kElementTypeCount);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  if (!check.ok()) return;
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, params.type());
  check.Require(
      kernels::BinaryKnows(static_cast<kernels::BinaryOp>(params.op()), ElementOf(params.type())),
      FaultCode::kParamOpType, params.op(), params.type());
}

void Run(const format::BinaryParams& params, std::byte* const* operands) {
  if (IsOneElement(params.rank(), Numbers(params.dims()))) {
    return kernels::BinaryOne(static_cast<kernels::BinaryOp>(params.op()), ElementOf(params.type()),
                              operands[0], operands[1], operands[2]);
  }
  kernels::BinaryShape shape;
  WEFT_FIELDS(WEFT_BROADCAST_FIELDS(op)(type))
  kernels::Binary(shape, operands[0], operands[1], operands[2]);
}

}  // namespace weft::bind::binary

WEFT_BIND_STEP(binary, Binary)
